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
