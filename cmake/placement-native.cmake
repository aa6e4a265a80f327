# Makes placement::native: placement::placement, compiled for the processor at hand, and without errno in mathematical
# functions, which keeps g++ from vectorising std::sqrt. An opt-in, and all or nothing: a program
# whose files are compiled for different processors has two bodies for one inline function, and the linker takes either. So
# link it to every target of a program, libraries included. Used by our own build and by find_package(placement).
if(NOT TARGET placement::native)
  add_library(placement::native INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::native INTERFACE placement::placement)
  target_compile_options(placement::native INTERFACE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-march=native;-fno-math-errno>"
    "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-march=native,-fno-math-errno>")
endif()
