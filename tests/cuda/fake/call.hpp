#pragma once
/// Calls of the fake driver's functions by their declarations in cuda.h.
#include "fake_cuda.hpp"

/// The result of a driver function. cuda.h defines some names as macros for newer versions.
#define CALL_DRIVER(function, ...) \
  reinterpret_cast<decltype(&::function)>(driver_function(NAME_IN_DRIVER(function)))(__VA_ARGS__)
#define NAME_IN_DRIVER(function) #function

inline void* driver_function(char const* name) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return ::dlsym(library, name);
}
