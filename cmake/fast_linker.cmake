# Links with lld or gold, where the compiler finds one: they take a fifth and a half of the time of GNU ld. Presets with nvcc keep GNU ld:
# one of their programs needs the plugin of g++, which lld does not have.
include(CheckLinkerFlag)
foreach(linker IN ITEMS lld gold)
  check_linker_flag(CXX -fuse-ld=${linker} placement_has_${linker})
  if(placement_has_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()
