#pragma once
/// The names of the library's main types, for headers that only mention them.

#include <placement/version.hpp>

namespace placement::inline v0_1 {

template <class T, class X> class tensor;
template <class T, class X> class reference;
template <class Op, class Kernels, class... Args> struct expr;
template <class E, class D, class P> struct placed;

}  // namespace placement::inline v0_1
