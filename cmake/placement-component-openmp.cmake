# Makes placement::openmp: placement::placement, and OpenMP as the consumer's compiler has it, for kernels of the CPU.
# Used by our own build and by find_package(placement COMPONENTS openmp). Never required: placement has threads of its own.
if(NOT TARGET placement::openmp)
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(TARGET OpenMP::OpenMP_CXX)
    add_library(placement::openmp INTERFACE IMPORTED GLOBAL)
    target_link_libraries(placement::openmp INTERFACE placement::placement OpenMP::OpenMP_CXX)
  endif()
endif()
