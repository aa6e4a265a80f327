# One libFuzzer program for each tests/fuzz/<name>.cpp, run for PLACEMENT_FUZZ_SECONDS (environment, default 5) as a test.
# Optional seeds are in tests/fuzz/<name>/.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "placement: PLACEMENT_BUILD_FUZZERS needs clang. Use the preset fuzz.")
endif()

set(fuzz_flags -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
file(GLOB sources CONFIGURE_DEPENDS fuzz/*.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_executable(fuzz_${name} ${source})
  target_include_directories(fuzz_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(fuzz_${name} PRIVATE ${fuzz_flags})
  target_link_options(fuzz_${name} PRIVATE ${fuzz_flags})
  target_link_libraries(fuzz_${name} PRIVATE placement::placement placement_warnings)
  if(name MATCHES "^idx")
    find_package(ZLIB REQUIRED)
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/examples)
    target_link_libraries(fuzz_${name} PRIVATE ZLIB::ZLIB)
  endif()
  add_test(NAME fuzz.${name}
    COMMAND ${CMAKE_COMMAND}
      -D PROGRAM=$<TARGET_FILE:fuzz_${name}>
      -D SEEDS=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}
      -D CORPUS=${CMAKE_CURRENT_BINARY_DIR}/corpus/${name}
      -P ${PROJECT_SOURCE_DIR}/cmake/run_fuzzer.cmake)
endforeach()
