# An overlay port: it installs the clone that it is in, so that it needs no download and no hash.
# vcpkg install placement --overlay-ports=<clone>/packaging/vcpkg
set(VCPKG_BUILD_TYPE release) # header-only port
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
if(NOT EXISTS "${SOURCE_PATH}/include/placement/version.hpp")
  message(FATAL_ERROR "${SOURCE_PATH} is no clone of placement. Use the port in place: --overlay-ports=<clone>/packaging/vcpkg")
endif()

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DPLACEMENT_BUILD_INFO=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/placement)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
