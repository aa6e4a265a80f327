# Defines placement::blas: placement::placement, and a BLAS with cblas.h for matrix products on the CPU. CMake's FindBLAS
# finds OpenBLAS, BLIS, MKL or another BLAS; set BLA_VENDOR to choose.
# Used by this project's build and by find_package(placement COMPONENTS blas). Optional: without it the library's own
# kernels compute products. A reference BLAS is slower than those.
if(NOT TARGET placement::blas)
  find_package(BLAS QUIET)
  if(TARGET BLAS::BLAS)
    find_path(PLACEMENT_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas blis mkl DOC "Where cblas.h is")
    mark_as_advanced(PLACEMENT_CBLAS_INCLUDE_DIR)
  endif()
  if(PLACEMENT_CBLAS_INCLUDE_DIR)
    # A BLAS may lack the functions of cblas.h.
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES BLAS::BLAS)
    set(CMAKE_REQUIRED_INCLUDES ${PLACEMENT_CBLAS_INCLUDE_DIR})
    set(CMAKE_REQUIRED_QUIET TRUE)
    check_cxx_source_compiles("#include <cblas.h>
      int main() { return cblas_sdot(0, nullptr, 1, nullptr, 1) != 0; }" PLACEMENT_BLAS_HAS_CBLAS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_QUIET)
  endif()
  if(PLACEMENT_CBLAS_INCLUDE_DIR AND PLACEMENT_BLAS_HAS_CBLAS)
    add_library(placement::blas INTERFACE IMPORTED GLOBAL)
    target_include_directories(placement::blas SYSTEM INTERFACE ${PLACEMENT_CBLAS_INCLUDE_DIR})
    target_link_libraries(placement::blas INTERFACE placement::placement BLAS::BLAS ${CMAKE_DL_LIBS})
  endif()
endif()
