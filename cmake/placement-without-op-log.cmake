# Defines placement::without_op_log: placement::placement, whose expressions make no log lines and no events for their ops.
# Fallbacks and copies are still reported. Targets with and without it can be parts of one program, because their
# expressions have different types (docs/decisions/0030-op-events.md). Used by this project's build and by
# find_package(placement).
if(NOT TARGET placement::without_op_log)
  add_library(placement::without_op_log INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::without_op_log INTERFACE placement::placement)
  target_compile_definitions(placement::without_op_log INTERFACE PLACEMENT_WITHOUT_OP_LOG)
endif()
