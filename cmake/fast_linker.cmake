# Links C++ programs with lld or gold, where the compiler finds one: they take a fifth and a half of the time of GNU ld. Programs with
# objects of nvcc, some of which need the plugin of g++, and projects that use this one have their own linker.
include(CheckLinkerFlag)
foreach(linker IN ITEMS lld gold)
  check_linker_flag(CXX -fuse-ld=${linker} placement_has_${linker})
  if(placement_has_${linker})
    add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=${linker}>)
    break()
  endif()
endforeach()
