# cmake -D COMMAND=<command;list> -D EXPECTED=<file> -D ACTUAL=<file> -P compare_output.cmake
#
# Passes if the command exits with 0, and its stdout and stderr together equal the expected file. Otherwise prints a diff.
# With PLACEMENT_UPDATE_EXPECTED in the environment, rewrites the expected file instead. With -D NOT_SIMULATED=ON the file is
# of a run on simulated GPUs: without the words that say so, and without the widths of columns, both must be equal.
cmake_minimum_required(VERSION 3.25)

# stdbuf preloads a library, which then comes before the shared run-time library of a sanitizer.
set(ENV{ASAN_OPTIONS} "$ENV{ASAN_OPTIONS}:verify_asan_link_order=0")

execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "Ended with ${status} and wrote:\n${output}")
endif()

if(DEFINED ENV{PLACEMENT_UPDATE_EXPECTED} AND NOT NOT_SIMULATED)
  file(WRITE ${EXPECTED} "${output}")
  return()
endif()

file(READ ${EXPECTED} expected)
if(NOT_SIMULATED)
  foreach(text IN ITEMS expected output)
    string(REGEX REPLACE "placement: [0-9]+ simulated GPUs?:[^\n]*\n" "" ${text} "${${text}}")
    string(REPLACE " (simulated)" "" ${text} "${${text}}")
    string(REGEX REPLACE " +" " " ${text} "${${text}}")
  endforeach()
endif()
if(NOT output STREQUAL expected)
  file(WRITE ${ACTUAL} "${output}")
  execute_process(COMMAND diff -u ${EXPECTED} ${ACTUAL})
  message(FATAL_ERROR "The output is not as expected: - is ${EXPECTED}, + is ${ACTUAL}")
endif()
