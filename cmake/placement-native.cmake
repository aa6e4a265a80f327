# Defines placement::native: placement::headers, compiled for this machine's processor and without errno in mathematical
# functions, which keeps g++ from vectorising std::sqrt.
# Targets of one program may link it or not: each file has kernels for its own processor (docs/cpu.md). Such a program runs on
# this machine's processor only, because the linker may take any file's copy of another inline function. Used by this project's
# build and by find_package(placement).
if(NOT TARGET placement::native)
  add_library(placement::native INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::native INTERFACE placement::headers)
  target_compile_options(placement::native INTERFACE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-march=native;-fno-math-errno>"
    "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-march=native,-fno-math-errno>")
endif()
