#pragma once
/// The definitions of all functions that do not depend on the expression.
///
/// Each of these functions is declared in one header and defined in another,
/// `folder/..._bodies.hpp`. Each is a template, `template <class Once = void>`, for one reason
/// only. As a template it can be defined in any number of files, as with placement.hpp. It can also
/// be compiled once, as with compiled.hpp.

#include <placement/cpu/block_reader_bodies.hpp>
#include <placement/cpu/map_blocks_bodies.hpp>
#include <placement/cpu/parallel_for_bodies.hpp>
#include <placement/device/configuration_bodies.hpp>
#include <placement/device/device_bodies.hpp>
#include <placement/device/device_spec_bodies.hpp>
#include <placement/device/environment_bodies.hpp>
#include <placement/device/fork_bodies.hpp>
#include <placement/device/name_bodies.hpp>
#include <placement/device/query_bodies.hpp>
#include <placement/device/registry_bodies.hpp>
#include <placement/device/synchronize_bodies.hpp>
#include <placement/exec/launch_on_bodies.hpp>
#include <placement/expr/assign_bodies.hpp>
#include <placement/expr/bind_bodies.hpp>
#include <placement/expr/decide_bodies.hpp>
#include <placement/expr/destination_bodies.hpp>
#include <placement/expr/tensor_bodies.hpp>
#include <placement/memory/blocks_bodies.hpp>
#include <placement/memory/buffer_bodies.hpp>
#include <placement/memory/recorder_bodies.hpp>
#include <placement/memory/transfer_bodies.hpp>
#include <placement/ops/set_seed_bodies.hpp>
#include <placement/place/label_bodies.hpp>
#include <placement/place/location_bodies.hpp>
#include <placement/place/log_bodies.hpp>
#include <placement/place/op_event_bodies.hpp>
#include <placement/place/scope_stack_bodies.hpp>
#include <placement/place/settings_bodies.hpp>
#include <placement/shape/extents_bodies.hpp>

#include <placement/cuda/bodies.cuh>  // empty unless a CUDA compiler reads it
