# `cpack -G DEB` in the build folder makes libplacement-dev_<version>_all.deb, a package of headers. It needs no compiler and
# depends on no package, because a program may be compiled by another compiler than Debian's. A maintainer of the package sets
# CPACK_PACKAGE_CONTACT to a name and an address.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libplacement-dev)
set(CPACK_PACKAGE_VENDOR "The placement authors")
if(NOT CPACK_PACKAGE_CONTACT)
  set(CPACK_PACKAGE_CONTACT "The placement authors <authors@placement.invalid>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES OFF)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ (>= 4:12) | clang-16 | clang-19")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake (>= 3.25), libopenblas-dev, zlib1g-dev, nvidia-cuda-toolkit (>= 13)")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Array expressions say where they run, as in TensorFlow: by scopes, by tags in
types, or op by op. The device of each op is decided by one function, at
compile time or at run time, and no op falls back in silence. GPUs may be
simulated, so that programs for several GPUs are tested without one. The
package has headers, a CMake package and a pkg-config file.")

# The files in /usr/share/doc that Debian asks for.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_documents.cmake)
set(CPACK_PLACEMENT_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_PLACEMENT_REPOSITORY ${PLACEMENT_REPOSITORY})

include(CPack)
