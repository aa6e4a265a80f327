# cmake -D COMPILE=<command;list> -D SOURCE=<file> -P expect_error.cmake
#
# Passes if the command fails and prints the message of the file's first line early: within 20 lines and 4096 characters,
# which a user sees without scrolling. If that line says `only error`, no other error may follow. The lines `// also: REGEX` after it
# must match what the compiler prints around the message.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${COMPILE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

file(STRINGS ${SOURCE} first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// (only )?error: (.+)$")
  message(FATAL_ERROR "The first line must be `// error: <the sentence the compiler must print>`, not\n${first_line}")
endif()
set(only "${CMAKE_MATCH_1}")
set(sentence "${CMAKE_MATCH_2}")

if(status EQUAL 0)
  message(FATAL_ERROR "This compiles, but should stop with\n${sentence}")
endif()

string(SUBSTRING "${output}" 0 4096 seen)
set(head)
foreach(line RANGE 1 20)
  string(FIND "${seen}" "\n" end)
  if(end EQUAL -1)
    string(APPEND head "${seen}")
    break()
  endif()
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${seen}" 0 ${end} first)
  string(SUBSTRING "${seen}" ${end} -1 seen)
  string(APPEND head "${first}")
endforeach()
string(FIND "${head}" "${sentence}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "Not in the first 20 lines and 4096 characters:\n${sentence}\nThe compiler printed:\n${output}")
endif()

file(STRINGS ${SOURCE} more_lines REGEX "^// also: ")
foreach(line IN LISTS more_lines)
  string(REPLACE "// also: " "" more "${line}")
  if(NOT output MATCHES "${more}")
    message(FATAL_ERROR "Nothing matches\n${more}\nin what the compiler printed:\n${output}")
  endif()
endforeach()

string(REGEX MATCHALL "error:" errors "${output}")
list(LENGTH errors count)
if(only AND NOT count EQUAL 1)
  message(FATAL_ERROR "There are ${count} errors, and should be one:\n${output}")
endif()
