# cmake -D CURRENT_PORT_DIR=<port> -D CURRENT_PACKAGES_DIR=<dir> -P vcpkg_functions.cmake
#
# Runs a portfile without vcpkg. These functions do what those of vcpkg do for a port of headers, and reject other arguments.
cmake_minimum_required(VERSION 3.25)
cmake_path(GET CURRENT_PORT_DIR FILENAME PORT)
set(build ${CURRENT_PACKAGES_DIR}.build)
file(REMOVE_RECURSE ${build} ${CURRENT_PACKAGES_DIR})

function(check_arguments function)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "${known}" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function} is called with ${arg_UNPARSED_ARGUMENTS}; it knows ${known}")
  endif()
  foreach(name IN LISTS known)
    set(arg_${name} ${arg_${name}} PARENT_SCOPE)
  endforeach()
endfunction()

function(vcpkg_cmake_configure)
  set(known SOURCE_PATH OPTIONS)
  check_arguments(vcpkg_cmake_configure ${ARGV})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${build} -G Ninja -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DBUILD_SHARED_LIBS=OFF ${arg_OPTIONS}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target install OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Moves the CMake package to share/<port>, and corrects the folder that it computes its prefix from.
function(vcpkg_cmake_config_fixup)
  set(known CONFIG_PATH)
  check_arguments(vcpkg_cmake_config_fixup ${ARGV})
  file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*)
  if(NOT files)
    message(FATAL_ERROR "CONFIG_PATH ${arg_CONFIG_PATH} has no files")
  endif()
  file(COPY ${files} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH})
  file(GLOB_RECURSE files ${CURRENT_PACKAGES_DIR}/share/${PORT}/*.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(REGEX REPLACE "get_filename_component\\(_IMPORT_PREFIX \"\\\${CMAKE_CURRENT_LIST_FILE}\" PATH\\)(\nget_filename_component\\(_IMPORT_PREFIX \"\\\${_IMPORT_PREFIX}\" PATH\\))*"
      "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)"
      text "${text}")
    string(REPLACE "\"\${CMAKE_CURRENT_LIST_DIR}/../../../\" ABSOLUTE" "\"\${CMAKE_CURRENT_LIST_DIR}/../../\" ABSOLUTE" text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
  file(GLOB_RECURSE files ${CURRENT_PACKAGES_DIR}/*.pc)
  if(NOT files)
    message(FATAL_ERROR "there is no pkg-config file")
  endif()
endfunction()

function(vcpkg_install_copyright)
  set(known FILE_LIST)
  check_arguments(vcpkg_install_copyright ${ARGV})
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()

include(${CURRENT_PORT_DIR}/portfile.cmake)
