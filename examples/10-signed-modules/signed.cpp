/* 10 in C++: a program that loads only what its maker has signed. Here it plays both sides. */
#include "../device_array.hpp"

#include <cstdio>
#include <fstream>
#include <string>

/* answer(to): writes 42. What is signed are a file's bytes, so it may as well be a fatbin, a cubin, or CUDA C++. */
static const std::string module_text =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry answer(.param .u64 to)\n{\n.reg .b64 %p;\n.reg .b32 %n;\n"
    "ld.param.u64 %p, [to];\ncvta.to.global.u64 %p, %p;\nmov.u32 %n, 42;\nst.global.u32 [%p], %n;\nret;\n}\n";

static void write_file(const std::string &path, const std::string &text)
{
    std::ofstream file(path);
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file << text << std::flush;
}

/* The maker's side: writes PATH.minisig, where a loader looks for it, as `gpudl sign` and minisign do. */
static void sign(const std::string &path, const gpudl::trust::key_pair &keys)
{
    gpudl::trust::sign_options options;

    options.trusted_comment = "release 1"; /* is signed as well */
    write_file(path + ".minisig", gpudl::trust::sign(gpudl::file(path), keys.secret_key, options));
}

static void make_files(const gpudl::trust::key_pair &makers)
{
    const gpudl::trust::key_pair strangers = gpudl::trust::keygen();
    std::string changed = module_text;

    for (const char *name : { "good.ptx", "changed.ptx", "stranger.ptx", "unsigned.ptx" })
        write_file(name, module_text);
    sign("good.ptx", makers);
    sign("changed.ptx", makers);
    changed[changed.find("42")] = '1'; /* one byte, after it was signed */
    write_file("changed.ptx", changed);
    sign("stranger.ptx", strangers);
    std::remove("unsigned.ptx.minisig");
}

/* The program's side. The key is part of the program, so it is as hard to exchange as the program is. */
static gpudl::loader open_loader(const std::string &public_key)
{
    gpudl::loader_options options;

    options.trust.emplace().policy = GPUDL_TRUST_SIGNATURE;
    options.trust->keys = { public_key };
    gpudl::loader loader = gpudl::loader::open(options);
    loader.use_device();
    return loader;
}

/* What is refused has not been parsed: bytes of a stranger never reach the readers of images, nor the driver. */
static void attempt(const gpudl::loader &loader, const char *path, gpudl_status expected)
{
    const auto library = gpudl::library::try_load(gpudl::file(path), {}, loader);

    std::printf("%s\n", path);
    if (library) {
        const device_array<int> to(loader, { 0 });
        library->get<int *>("answer")({ 1, 1 }, to.address());
        std::printf("    loaded, and answers %d\n", to.read()[0]);
    } else {
        std::printf("    %s: %s\n", library.error().name(), library.error().text().c_str());
    }
    if (library.status() != expected)
        throw std::runtime_error(std::string(path) + ": expected was " + gpudl_status_name(expected));
}

int main()
try {
    const gpudl::trust::key_pair keys = gpudl::trust::keygen(); /* no password, as nothing is kept */

    make_files(keys);
    const gpudl::loader loader = open_loader(keys.public_key);
    attempt(loader, "good.ptx", GPUDL_OK);
    attempt(loader, "changed.ptx", GPUDL_ERROR_SIGNATURE);
    attempt(loader, "stranger.ptx", GPUDL_ERROR_NOT_TRUSTED);
    attempt(loader, "unsigned.ptx", GPUDL_ERROR_SIGNATURE_MISSING);
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
