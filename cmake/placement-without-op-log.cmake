# Makes placement::without_op_log: placement::placement, whose expressions make no log lines and no events of their ops.
# Fallbacks and copies are reported as ever. Targets with and without it may be parts of one program: expressions are then of
# other types (docs/decisions/0030-op-events.md). Used by our own build and by find_package(placement).
if(NOT TARGET placement::without_op_log)
  add_library(placement::without_op_log INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::without_op_log INTERFACE placement::placement)
  target_compile_definitions(placement::without_op_log INTERFACE PLACEMENT_WITHOUT_OP_LOG)
endif()
