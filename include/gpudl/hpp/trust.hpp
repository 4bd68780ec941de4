/* Digests, keys and signatures. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_TRUST
#define GPUDL_HPP_TRUST

#include <gpudl/hpp/options.hpp>

namespace gpudl {
namespace trust {

inline result<gpudl_trust_report> try_check(const source &what, const trust_options &options)
{
    const gpudl_source c = what.c();
    const detail::c_trust o(options);
    gpudl_trust_report report = detail::sized<gpudl_trust_report>();
    gpudl_status status = gpudl_trust_check(&c, o.get(), &report);
    return detail::made<gpudl_trust_report>(status, report);
}
inline gpudl_trust_report check(const source &what, const trust_options &options) { return try_check(what, options).value(); }

/* A SHA-256, in 64 hexadecimal digits. */
inline result<std::string> try_digest(const source &of)
{
    const gpudl_source c = of.c();
    char digest[GPUDL_DIGEST_TEXT] = "";
    gpudl_status status = gpudl_trust_digest(&c, digest);
    return detail::made<std::string>(status, digest);
}
inline std::string digest(const source &of) { return try_digest(of).value(); }

/* The texts of both files. The secret one is overwritten when it goes. */
struct key_pair {
    std::string public_key, secret_key;

    key_pair(std::string p, std::string s) : public_key(std::move(p)), secret_key(std::move(s)) {}
    key_pair(key_pair &&other) : public_key(std::move(other.public_key)), secret_key(other.secret_key) { other.wipe(); }
    key_pair &operator=(key_pair &&other)
    {
        if (this != &other) {
            wipe();
            public_key = std::move(other.public_key);
            secret_key = other.secret_key;
            other.wipe();
        }
        return *this;
    }
    ~key_pair() { wipe(); }

private:
    void wipe() noexcept
    {
        for (volatile char &c : secret_key)
            c = 0;
    }
};

/* Without a password whoever reads the secret key can sign. */
inline result<key_pair> try_keygen(const std::string &password = {})
{
    char public_key[GPUDL_PUBLIC_KEY_TEXT] = "", secret_key[GPUDL_SECRET_KEY_TEXT] = "";
    gpudl_status status = gpudl_trust_keygen(detail::text_or_null(password), public_key, secret_key);
    result<key_pair> made = detail::made<key_pair>(status, public_key, secret_key);
    for (volatile char &c : secret_key)
        c = 0;
    return made;
}
inline key_pair keygen(const std::string &password = {}) { return try_keygen(password).value(); }
inline bool key_is_locked(const std::string &secret_key) { return gpudl_trust_key_is_locked(secret_key.c_str()) != 0; }

struct sign_options {
    std::string password, trusted_comment, untrusted_comment;
    bool legacy = false;
};

/* The text of a signature file. */
inline result<std::string> try_sign(const source &what, const std::string &secret_key, const sign_options &options = {})
{
    const gpudl_source c = what.c();
    char signature[GPUDL_SIGNATURE_TEXT] = "";
    gpudl_sign_options o = GPUDL_SIGN_OPTIONS_INIT;
    o.secret_key = secret_key.c_str();
    o.password = detail::text_or_null(options.password);
    o.trusted_comment = detail::text_or_null(options.trusted_comment);
    o.untrusted_comment = detail::text_or_null(options.untrusted_comment);
    o.legacy = options.legacy;
    gpudl_status status = gpudl_trust_sign(&c, &o, signature);
    return detail::made<std::string>(status, signature);
}
inline std::string sign(const source &what, const std::string &secret_key, const sign_options &options = {})
{
    return try_sign(what, secret_key, options).value();
}

}
}
#endif
