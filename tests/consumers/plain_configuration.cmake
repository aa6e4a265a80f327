# Runs `cmake -S . -B build` as a user who wants the headers: it needs neither Catch2 nor CUDA, and installs. The generator is
# that of the tests, as a machine may have no make.
file(REMOVE_RECURSE ${BINARY})
foreach(step "-S;${SOURCE};-B;${BINARY};-DCMAKE_CXX_COMPILER=${CXX};-G;${GENERATOR}" "--build;${BINARY}" "--install;${BINARY};--prefix;${BINARY}/prefix")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

file(STRINGS ${BINARY}/CMakeCache.txt searched REGEX "^(Catch2|CUDA|CMAKE_CUDA|benchmark)[A-Za-z_]*:")
if(searched)
  message(FATAL_ERROR "a plain configuration searches for what headers do not need:\n${searched}")
endif()
if(NOT EXISTS ${BINARY}/prefix/include/placement/placement.hpp)
  message(FATAL_ERROR "the headers were not installed")
endif()

execute_process(COMMAND ${BINARY}/prefix/bin/placement-info --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
if(NOT version MATCHES "^placement [0-9.]+\n$")
  message(FATAL_ERROR "placement-info was not installed, or prints '${version}'")
endif()
foreach(file IN ITEMS gdb/placement_gdb.py natvis/placement.natvis)
  if(NOT EXISTS ${BINARY}/prefix/share/placement/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
