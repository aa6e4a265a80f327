# The files of `cmake --install`: headers, a CMake package, a pkg-config file, printers for debuggers, and placement-info if
# it is built. All of them are relocatable.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATAROOTDIR}/cmake/placement)

install(TARGETS placement EXPORT placement-targets FILE_SET core FILE_SET components FILE_SET cuda)
install(EXPORT placement-targets NAMESPACE placement:: DESTINATION ${package_dir})

configure_package_config_file(cmake/placementConfig.cmake.in placementConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(placementConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  ${PROJECT_BINARY_DIR}/placementConfig.cmake
  ${PROJECT_BINARY_DIR}/placementConfigVersion.cmake
  cmake/placement-component-blas.cmake
  cmake/placement-component-cuda.cmake
  cmake/placement-component-cub.cmake
  cmake/placement-component-cublaslt.cmake
  cmake/placement-component-cufft.cmake
  cmake/placement-component-cusolver.cmake
  cmake/placement-component-fft.cmake
  cmake/placement-component-lapack.cmake
  cmake/placement-component-mpi.cmake
  cmake/placement-component-nccl.cmake
  cmake/placement-component-nvtx.cmake
  cmake/placement-component-onednn.cmake
  cmake/placement-component-openmp.cmake
  cmake/placement-component-thrust.cmake
  cmake/placement-component-kernels.cmake
  cmake/placement-component-zlib.cmake
  cmake/placement-target.cmake
  cmake/placement-native.cmake
  cmake/placement-without-op-log.cmake
  cmake/placement-gradient.cmake
  cmake/placement-gdb.cmake
  cmake/definitions_cuda.cpp
  DESTINATION ${package_dir})
install(DIRECTORY cmake/definitions cmake/kernels DESTINATION ${package_dir})

configure_file(cmake/placement.pc.in placement.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/placement.pc DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/pkgconfig)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/placement)
install(FILES tools/debuggers/placement_gdb.py DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/placement/gdb)
install(FILES tools/debuggers/placement.natvis DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/placement/natvis)

if(TARGET placement_info) # headers can be installed without a build
  install(TARGETS placement_info RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
