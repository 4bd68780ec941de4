/* The other file of a program: both include gpudl.hpp, and use the same of it. */
#include "tests/hpp/twice.h"

std::string text_of_missing_file()
{
    return gpudl::library::try_load(gpudl::file("gone")).error().text();
}

unsigned launched(const gpudl::kernel<int, float, const float *, float *> &axpy)
{
    return axpy.try_launch({ 1, 32 }, 1, 2.0f, nullptr, nullptr) ? 1 : 0;
}
