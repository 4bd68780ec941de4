/* A program without exceptions and run-time types: failures are values, and who asks for one that is not there ends. */
#include "tests/hpp/hpp.h"
#include "tests/hpp/twice.h"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace {

static_assert(GPUDL_HPP_EXCEPTIONS == 0, "this file is for -fno-exceptions");

void failures_are_values(void **)
{
    nulldrv_reset();
    gpudl::loader loader(harness_open());
    {
        gpudl::result<gpudl::library> lib = gpudl::library::try_load(DATA_BYTES(names_cubin), {}, loader);
        expect(lib);
        const auto axpy = lib->try_get<int, float, const float *, float *>("axpy");
        expect(axpy && axpy->try_launch({ 1, 32 }, 1, 2.0f, nullptr, nullptr));
        expect(launched(*axpy) == 1);
        expect_failure((lib->try_get<int, float, const float *>("axpy")), GPUDL_ERROR_LAUNCH_ARGUMENTS, "3 arguments");
        expect_failure(gpudl::library::try_load(gpudl::file("gone"), {}, loader), GPUDL_ERROR_FILE_MISSING, "gone");
    }
    harness_close(loader.detach());
}

void a_value_that_is_not_there_ends_the_program(void **)
{
    const gpudl::result<gpudl::library> bad = gpudl::failure(GPUDL_ERROR_FILE_MISSING, "gone");
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        (void)bad.value();
        _exit(0);
    }
    expect(waitpid(child, &status, 0) == child);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

void both_files_have_the_same_functions(void **)
{
    expect_text(text_of_missing_file(), "gone");
}

} // namespace

int main()
{
    setenv("GPUDL_DRIVER", harness_null_driver(), 1);
    const CMUnitTest tests[] = {
        cmocka_unit_test(failures_are_values),
        cmocka_unit_test(a_value_that_is_not_there_ends_the_program),
        cmocka_unit_test(both_files_have_the_same_functions),
    };

    return cmocka_run_group_tests_name("hpp.plain", tests, nullptr, nullptr);
}
