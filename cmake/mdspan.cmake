# Defines placement_with_mdspan, for the project's own programs that use std::mdspan: placement::headers, and the flags with
# which this compiler has <mdspan>. clang has it in libc++, so the compiled part of the library is not linked.
include(CheckCXXSourceCompiles)
function(placement_find_mdspan)
  if(NOT "cxx_std_23" IN_LIST CMAKE_CXX_COMPILE_FEATURES)
    return()
  endif()
  set(CMAKE_CXX_STANDARD 23)
  set(CMAKE_REQUIRED_QUIET TRUE)
  foreach(library IN ITEMS default libc++)
    set(CMAKE_REQUIRED_FLAGS)
    if(NOT library STREQUAL "default")
      set(CMAKE_REQUIRED_FLAGS -stdlib=${library})
    endif()
    string(MAKE_C_IDENTIFIER "PLACEMENT_HAS_MDSPAN_${library}" found)
    check_cxx_source_compiles("#include <version>
      #if !defined(__cpp_lib_mdspan)
      #error no mdspan
      #endif
      #include <iostream>
      int main() { std::cout << 1; }" ${found})
    if(${found})
      add_library(placement_with_mdspan INTERFACE)
      target_link_libraries(placement_with_mdspan INTERFACE placement::headers)
      target_compile_features(placement_with_mdspan INTERFACE cxx_std_23)
      target_compile_options(placement_with_mdspan INTERFACE ${CMAKE_REQUIRED_FLAGS})
      target_link_options(placement_with_mdspan INTERFACE ${CMAKE_REQUIRED_FLAGS})
      return()
    endif()
  endforeach()
endfunction()
placement_find_mdspan()
