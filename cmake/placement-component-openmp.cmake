# Defines placement::openmp: placement::placement, and OpenMP of the consumer's compiler, for CPU kernels.
# Used by this project's build and by find_package(placement COMPONENTS openmp). Optional: placement has its own threads.
if(NOT TARGET placement::openmp)
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(TARGET OpenMP::OpenMP_CXX)
    add_library(placement::openmp INTERFACE IMPORTED GLOBAL)
    target_link_libraries(placement::openmp INTERFACE placement::placement OpenMP::OpenMP_CXX)
  endif()
endif()
