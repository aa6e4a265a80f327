# Defines placement::mpi: placement::placement, and the MPI of this machine for programs of several tasks. CMake's FindMPI
# finds Open MPI, MPICH or another MPI; set MPI_HOME or MPI_C_COMPILER to choose.
# Used by this project's build and by find_package(placement COMPONENTS mpi). Optional: without it tasks are simulated.
if(NOT TARGET placement::mpi)
  find_package(MPI QUIET COMPONENTS C)
  if(TARGET MPI::MPI_C)
    add_library(placement::mpi INTERFACE IMPORTED GLOBAL)
    get_target_property(placement_mpi_include MPI::MPI_C INTERFACE_INCLUDE_DIRECTORIES)
    if(placement_mpi_include)
      target_include_directories(placement::mpi SYSTEM INTERFACE ${placement_mpi_include})
    endif()
    unset(placement_mpi_include)
    # mpi.h brings C++ bindings that MPI 3 removed, unless these are defined.
    target_compile_definitions(placement::mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_link_libraries(placement::mpi INTERFACE placement::placement MPI::MPI_C)
  endif()
endif()
