/* Sources and options that own what they point to; what each member means is said of the C struct's. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_OPTIONS
#define GPUDL_HPP_OPTIONS

#include <gpudl/hpp/handle.hpp>

#include <functional>

namespace gpudl {

/* ------------------------------------------------------------------------------------------------------------------- source */

/* What to load. Made by the functions below, or of a gpudl_source (GPUDL_EMBEDDED), which lends all it points to. */
class source {
    gpudl_source c_;
    std::string name_, text_, signature_;
    std::vector<gpudl_registered_kernel> kernels_;

public:
    source(const gpudl_source &lent) : c_(lent) {}
    source(gpudl_source_kind kind, std::string name, std::string text) : source(gpudl_source_file(nullptr))
    {
        c_.kind = kind;
        name_ = std::move(name);
        text_ = std::move(text);
    }
    source(std::string name, std::vector<gpudl_registered_kernel> kernels) : source(GPUDL_SOURCE_REGISTERED, std::move(name), {})
    {
        kernels_ = std::move(kernels);
    }

    /* The text of a minisign file over its bytes. */
    source &signature(std::string minisig)
    {
        signature_ = std::move(minisig);
        return *this;
    }
    source &name(std::string name)
    {
        name_ = std::move(name);
        return *this;
    }

    /* Lent by this source, until it is changed. */
    gpudl_source c() const noexcept
    {
        gpudl_source s = c_;
        if (!name_.empty() || s.kind == GPUDL_SOURCE_FILE)
            s.name = name_.empty() && c_.name ? c_.name : name_.c_str();
        if (s.kind == GPUDL_SOURCE_TEXT && !c_.bytes)
            s.bytes = text_.data(), s.nbytes = text_.size();
        if (s.kind == GPUDL_SOURCE_REGISTERED && !c_.bytes)
            s.bytes = kernels_.data(), s.nbytes = kernels_.size() * sizeof(gpudl_registered_kernel);
        if (!signature_.empty())
            s.signature = signature_.data(), s.signature_size = signature_.size();
        return s;
    }
};

inline source file(std::string path) { return source(GPUDL_SOURCE_FILE, std::move(path), {}); }
inline source text(std::string name, std::string cuda_cpp) { return source(GPUDL_SOURCE_TEXT, std::move(name), std::move(cuda_cpp)); }
/* The bytes are borrowed: they stay until the call that takes the source returns. */
inline source memory(const void *bytes, std::size_t size) { return source(gpudl_source_memory(bytes, size)); }
template <class Bytes> source memory(const Bytes &bytes) { return memory(std::data(bytes), std::size(bytes) * sizeof(*std::data(bytes))); }
inline source registered(std::string name, std::vector<gpudl_registered_kernel> kernels) { return source(std::move(name), std::move(kernels)); }

/* ------------------------------------------------------------------------------------------------------------------ options */

/* When to make code resident. */
using when = gpudl_when;
inline when now() noexcept { return gpudl_now(); }
inline when when_idle(std::chrono::nanoseconds limit) noexcept { return gpudl_when_idle(detail::ns(limit)); }
inline when by(std::chrono::nanoseconds limit) noexcept { return gpudl_by(detail::ns(limit)); }

struct trust_options {
    gpudl_trust_policy policy = GPUDL_TRUST_DEFAULT;
    bool locked = false;
    std::string key_ring;
    std::vector<std::string> keys;
    std::string revoked, manifest;
    std::vector<std::string> digests;
    std::string signature;      /* loads only */
};

struct compile_options {
    std::vector<std::string> options, names;
    std::vector<std::pair<std::string, std::string>> headers;       /* name and text */
    std::string compiler, target;
    gpudl_format format = GPUDL_FORMAT_AUTO;
    unsigned flags = 0;                                             /* GPUDL_COMPILE_... */
    std::function<bool()> cancelled;                                /* called from any thread; must not throw */
};

struct load_options {
    std::uint64_t max_image_bytes = 0;
    std::uint64_t flags = 0;                                        /* GPUDL_LOAD_... */
    unsigned optimization = 0, max_registers = 0, fma = 0, cache_mode = 0;
    std::string target;
    const gpudl_host_table *host_table = nullptr;
    std::optional<trust_options> trust;
    std::optional<compile_options> compile;
};

struct replace_options {
    std::uint64_t flags = 0;                                        /* GPUDL_REPLACE_... */
    std::optional<load_options> load;
    gpudl::when when = now();
    std::vector<gpudl_trial> trials;                                /* what they point to is borrowed */
    std::string trial_driver;
    std::chrono::nanoseconds trial_timeout{ 0 };
};

/* ------------------------------------------------------------------------------------------- the same for C, as long as they live */

namespace detail {

class c_trust {
    std::vector<const char *> keys_, digests_;
    gpudl_trust_options c_ = GPUDL_TRUST_OPTIONS_INIT;

public:
    explicit c_trust(const trust_options &o) : keys_(pointers(o.keys)), digests_(pointers(o.digests))
    {
        c_.policy = o.policy;
        c_.locked = o.locked;
        c_.key_ring = text_or_null(o.key_ring);
        c_.keys = keys_.data(), c_.nkeys = keys_.size();
        c_.revoked = text_or_null(o.revoked);
        c_.manifest = text_or_null(o.manifest);
        c_.digests = digests_.data(), c_.ndigests = digests_.size();
        if (!o.signature.empty())
            c_.signature = o.signature.data(), c_.signature_size = o.signature.size();
    }
    c_trust(const c_trust &) = delete;
    const gpudl_trust_options *get() const noexcept { return &c_; }
};

class c_compile {
    std::vector<const char *> options_, names_;
    std::vector<gpudl_header> headers_;
    gpudl_compile_options c_ = GPUDL_COMPILE_OPTIONS_INIT;

    static int ask(void *user) noexcept { return (*static_cast<const std::function<bool()> *>(user))(); }

public:
    explicit c_compile(const compile_options &o) : options_(pointers(o.options)), names_(pointers(o.names))
    {
        for (const auto &header : o.headers)
            headers_.push_back(gpudl_header{ header.first.c_str(), header.second.c_str() });
        c_.options = options_.data(), c_.noptions = options_.size();
        c_.headers = headers_.data(), c_.nheaders = headers_.size();
        c_.names = names_.data(), c_.nnames = names_.size();
        c_.compiler = text_or_null(o.compiler);
        c_.target = text_or_null(o.target);
        c_.format = o.format;
        c_.flags = o.flags;
        if (o.cancelled)
            c_.cancelled = ask, c_.cancelled_user = const_cast<std::function<bool()> *>(&o.cancelled);
    }
    c_compile(const c_compile &) = delete;
    const gpudl_compile_options *get() const noexcept { return &c_; }
};

class c_load {
    std::optional<c_trust> trust_;
    std::optional<c_compile> compile_;
    gpudl_load_options c_ = GPUDL_LOAD_OPTIONS_INIT;

public:
    explicit c_load(const load_options &o)
    {
        c_.max_image_bytes = o.max_image_bytes;
        c_.flags = o.flags;
        c_.optimization = o.optimization;
        c_.max_registers = o.max_registers;
        c_.fma = o.fma;
        c_.cache_mode = o.cache_mode;
        c_.target = text_or_null(o.target);
        c_.host_table = o.host_table;
        if (o.trust)
            c_.trust = trust_.emplace(*o.trust).get();
        if (o.compile)
            c_.compile = compile_.emplace(*o.compile).get();
    }
    c_load(const c_load &) = delete;
    const gpudl_load_options *get() const noexcept { return &c_; }
};

class c_replace {
    std::optional<c_load> load_;
    gpudl_replace_options c_ = GPUDL_REPLACE_OPTIONS_INIT;

public:
    explicit c_replace(const replace_options &o)
    {
        c_.flags = o.flags;
        if (o.load)
            c_.load = load_.emplace(*o.load).get();
        c_.when = o.when;
        c_.trials = o.trials.data(), c_.ntrials = o.trials.size();
        c_.trial_driver = text_or_null(o.trial_driver);
        c_.trial_timeout_ns = ns(o.trial_timeout);
    }
    c_replace(const c_replace &) = delete;
    const gpudl_replace_options *get() const noexcept { return &c_; }
};

inline std::vector<gpudl_source> c_sources(const std::vector<source> &sources)
{
    std::vector<gpudl_source> all;
    for (const source &s : sources)
        all.push_back(s.c());
    return all;
}

}
}
#endif
