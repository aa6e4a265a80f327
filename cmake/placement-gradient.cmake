# Defines placement::gradient: placement::placement, whose expressions are recorded by gradient tapes, as in files that include
# placement/gradient.hpp first. Targets with and without it can be parts of one program, because their expressions have
# different types (docs/decisions/0061-gradients.md). Used by this project's build and by find_package(placement).
if(NOT TARGET placement::gradient)
  add_library(placement::gradient INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::gradient INTERFACE placement::placement)
  target_compile_definitions(placement::gradient INTERFACE PLACEMENT_GRADIENTS)
endif()
