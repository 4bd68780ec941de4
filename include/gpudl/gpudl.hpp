/* gpudl in C++17: handles that release themselves, kernels with types, errors as exceptions or as values. Header only, over gpudl.h, which has
 * the manual: what a call does, what is thread-safe and how long what is lent is good is said there.
 *
 *     auto library = gpudl::library::load(gpudl::file("saxpy.fatbin"));
 *     gpudl::kernel<int, float, const float *, float *> saxpy(library, "saxpy");      compared with the image here
 *     saxpy({ blocks, 256 }, n, 2, x, y);                                             as a function of that type
 *
 * Failures. A call that fails throws gpudl::error, with the status, the driver's code and the text. Each has a twin that does not throw: try_load()
 * beside load() returns a gpudl::result, which is the value or the failure. Without exceptions (-fno-exceptions) the throwing form ends the program
 * with std::abort(), and says nothing. Releases never throw.
 *
 *     if (auto library = gpudl::library::try_load(gpudl::file("saxpy.fatbin")))
 *         use(*library);
 *     else
 *         complain(library.error().text());
 *
 * Handles can be moved, not copied, and may be empty: a default one, and one that was moved from; calls with it fail with GPUDL_ERROR_ARGUMENT.
 * handle() lends the C handle, for calls of gpudl.h; detach() gives it away; a constructor takes one over. The order in which they go does not
 * matter, but for loaders: those are closed after all that came from them. A default gpudl::loader stands for the process's default one.
 *
 * Options are structs that own what they point to, begun with the defaults. Sources own names and texts, and borrow bytes.
 * Needs no CUDA header, and stands beside them in any order. */
#ifndef GPUDL_HPP
#define GPUDL_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "gpudl.hpp is C++17: compile with -std=c++17 or later; C has gpudl.h"
#endif

#include <gpudl/gpudl.h>

#include <gpudl/hpp/error.hpp>
#include <gpudl/hpp/handle.hpp>
#include <gpudl/hpp/options.hpp>
#include <gpudl/hpp/loader.hpp>
#include <gpudl/hpp/version.hpp>
#include <gpudl/hpp/kernel.hpp>
#include <gpudl/hpp/library.hpp>
#include <gpudl/hpp/task.hpp>
#include <gpudl/hpp/image.hpp>
#include <gpudl/hpp/compile.hpp>
#include <gpudl/hpp/trust.hpp>

#endif
