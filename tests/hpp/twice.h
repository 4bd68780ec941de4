/* twice.h - what two files of one program share of gpudl.hpp's. */
#ifndef TESTS_HPP_TWICE_H
#define TESTS_HPP_TWICE_H

#include <gpudl/gpudl.hpp>

std::string text_of_missing_file();
unsigned launched(const gpudl::kernel<int, float, const float *, float *> &axpy);

#endif
