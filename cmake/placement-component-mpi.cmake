# Defines placement::mpi: placement::placement, and the MPI of this machine for programs of several tasks. CMake's FindMPI
# finds Open MPI, MPICH or another MPI; set MPI_HOME or MPI_CXX_COMPILER to choose.
# Used by this project's build and by find_package(placement COMPONENTS mpi). Optional: without it tasks are simulated.
#
# The library uses the C functions. In a project without the language C, FindMPI's component CXX finds them, without the C++
# bindings that MPI 3 removed.
if(NOT TARGET placement::mpi)
  if(CMAKE_C_COMPILER_LOADED)
    set(placement_mpi_language C)
  else()
    set(placement_mpi_language CXX)
    set(MPI_CXX_SKIP_MPICXX TRUE)
  endif()
  find_package(MPI QUIET COMPONENTS ${placement_mpi_language})
  if(MPI_${placement_mpi_language}_FOUND)
    add_library(placement::mpi INTERFACE IMPORTED GLOBAL)
    get_target_property(placement_mpi_include MPI::MPI_${placement_mpi_language} INTERFACE_INCLUDE_DIRECTORIES)
    if(placement_mpi_include)
      target_include_directories(placement::mpi SYSTEM INTERFACE ${placement_mpi_include})
    endif()
    unset(placement_mpi_include)
    target_compile_definitions(placement::mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_link_libraries(placement::mpi INTERFACE placement::placement MPI::MPI_${placement_mpi_language})
  endif()
  unset(placement_mpi_language)
endif()
