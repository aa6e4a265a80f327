#pragma once
/// For one source file of a program whose other files include compiled.hpp: instantiates the
/// functions that those files only declare. placement::compiled has such a file.

#include <placement/bodies.hpp>

namespace placement { inline namespace v0_1 {

// device/configuration.hpp
template void set_simulated_gpus<>(simulated_gpus const&);
template void set_visible_devices<>(std::vector<physical_device> const&, std::string_view);
template void set_visible_device_list<>(std::string_view);
template std::vector<physical_device> visible_devices<>(std::string_view);
template void set_memory_growth<>(physical_device, bool);
template bool memory_growth<>(physical_device);
template void set_memory_growth_steps<>(physical_device, growth_steps);
template void set_memory_stream_ordered<>(physical_device, bool);
template void set_memory_fraction<>(double);
template void set_per_process_gpu_memory_fraction<>(double);
template void set_memory_fraction<>(physical_device, double);
template double memory_fraction<>();
template void set_logical_device_configuration<>(physical_device,
                                                 std::vector<logical_device_configuration> const&);
template void set_logical_device_limits<>(physical_device, std::vector<std::size_t>);
template std::vector<std::size_t> logical_device_limits<>(physical_device);
template int intra_op_threads<>();
template int inter_op_threads<>();
template void set_intra_op_threads<>(int);
template void set_inter_op_threads<>(int);

// device/device.hpp
template std::string to_string<>(device);

// device/environment.hpp
template std::string_view name_of<>(variable) noexcept;
template environment read_environment<>(environment_texts const&);
template environment const& environment_variables<>();
template std::string environment_report<>();

// device/logical_device.hpp
template std::string to_string<>(logical_device const&);
template std::string to_string<>(std::vector<logical_device> const&);

// device/physical_device.hpp
template std::string to_string<>(physical_device);
template std::string to_string<>(std::vector<physical_device> const&);

// device/query.hpp
template std::string to_string<>(compute_capability);
template std::vector<physical_device> list_physical_devices<>(std::string_view);
template std::vector<logical_device> list_logical_devices<>(std::string_view);
template std::string device_mapping<>();
template std::string device_mapping_tf1<>();
template int device_count<>(kind);
template bool is_available<>();
template memory_info memory_info_of<>(device);
template hardware properties<>(device);
template std::string hardware_name<>(device);
template compute_capability capability<>(device);
template std::string gpu_device_name<>();
template bool is_built_with_cuda<>();
template std::string why_no_gpu<>();
template int cuda_runtime_version<>();
template int cuda_driver_version<>();

// device/registry.hpp
template logical_device const& logical<>(device);
template std::string available_devices<>();
template std::string device_numbering<>();
template void register_gpu_platform<>(platform&);
template void set_current_device<>(device);

// device/synchronize.hpp
template void synchronize<>(device);
template void synchronize<>();

// device/device_spec.hpp
template std::string to_string<>(device_spec);

// memory/blocks.hpp
template memory_stats memory_stats_of<>(device);
template void reset_memory_peak<>(device);
template std::size_t trim<>(device);
template std::size_t trim<>();
template void set_trim_and_retry<>(bool) noexcept;

// memory/call_site.hpp
template std::string to_string<>(call_site const&);

// memory/transfer.hpp
template copy_count copies_between<>(device, device);
template copy_count all_copies<>();

// ops/set_seed.hpp
template void set_seed<>(std::uint64_t) noexcept;

// place/label.hpp
template label label_of<>(std::string_view);
template std::string_view to_string<>(label);

// place/log.hpp
template void set_log_sink<>(log_sink, void*);
template std::vector<fallback> fallbacks<>();
template std::size_t fallback_count<>();

// place/op_event.hpp
template std::string_view tensorflow_name<>(op_event const&);
template std::string to_string<>(op_event const&);
template void set_op_observer<>(op_observer, void*);

// place/settings.hpp
template void set_soft_device_placement<>(bool);
template void set_log_device_placement<>(bool);
template void set_log_level<>(log_level);
template void set_log_format<>(log_format);
template void set_transfer_policy<>(transfers);
template void set_tensor_float_32_execution<>(bool);

namespace detail {

// device/fork.hpp
template void throw_lost_by_fork<>(device);

// device/name.hpp
template void throw_not_a_name<>(std::string_view, name_reading const&);

// device/names.hpp
template void throw_clash<>(std::string_view, device_name const&, device_name const&);

// device/registry.hpp
template device device_here<>(device_spec);
template machine const& fix_machine<>();

// device/device_spec.hpp
template device_spec nested_names<>(device_spec, device_spec);
template std::uint32_t intern<>(device_name const&);
template device_name interned<>(std::uint32_t);
template device_spec parse_device_spec<>(std::string_view);

// expr/assign.hpp
template void report_assignment<>(device, std::string_view, any_shape const&);
template void throw_reshaped_view<>(any_shape const&, any_shape const&, site);

// expr/bind.hpp
template void kernel_operands::release_all<>() noexcept;
template void const* kernel_operands::bring_from<>(buffer const*, std::size_t);
template void const* kernel_operands::keep_elements<>(buffer_ref);
template void const* kernel_operands::copy_of<>(void const*, byte_source const&);

// expr/decide.hpp
template void throw_beyond_budget<>(std::string_view, device, device, std::uint32_t, site);
template void log_op_of<>(op_of_kernel const&, kernel_facts const&);
template void throw_if_moved<>(op_of_kernel const&, kernel_facts const&);
template void report_fallback_of<>(op_of_kernel const&, kernel_facts const&, settings_word);
template kernel_placement resolve<>(kernel_type const&, requested_device const&, settings_change,
                                    site);

// expr/destination.hpp
template void log_if_moved<>(std::string_view, device, buffer const&, site);
template void report_copy_to<>(op_of_kernel const&, kernel_facts const&, device);
template void write_to_external<>(buffer&, buffer const&, std::string_view, site);
template void throw_external_reshape<>(any_shape const&, any_shape const&, std::string_view, site);

// expr/tensor.hpp
template void moved_from<>(std::string_view, site);
template void stale_view<>(any_shape const&, any_shape const&, site, std::string_view, site);

// shape/broadcast.hpp
template void no_broadcast<>(any_shape const&, any_shape const&);

// shape/extents.hpp
template std::string text_of<>(any_shape const&);
template void negative_extent<>(any_shape const&, std::string_view, site);
template void too_many_bytes<>(any_shape const&, std::string_view, site);
template void does_not_fit<>(any_shape const&, std::size_t, index_t, std::string_view, site);

// memory/blocks.hpp
template void* allocate_block<>(device, std::size_t, call_site const&);
template void deallocate_block<>(device, void*, std::size_t);

// memory/buffer.hpp
template void throw_host_out_of_memory<>(std::size_t, call_site const&);
template timeline_point last_external_write<>(device);
template void record_external_write<>(device, timeline_point);
template void buffer::read_by<>(device) const;
template void buffer::await_other_queues<>() const;
template void buffer::last_owner_left<>() noexcept;

// memory/recorder.hpp
template void throw_unless_recorded<>(std::string_view, device);

// memory/transfer.hpp
template void count_copy<>(device, device, std::size_t);
template timeline_point timeline_point_of<>(device);
template void wait_for<>(device, device, timeline_point);
template void copy_by_queue<>(void*, device, void const*, device, std::size_t, timeline_point);

// ops/set_seed.hpp
template random_stream next_random_stream<>() noexcept;

// place/location.hpp
template std::string location_text<>(std::string_view, site);
template void add_location<>(shape_error&, std::string_view, site);
template void rethrow_from_rule<>(std::string_view, site);

// place/log.hpp
template void log_op<>(op_event const&);
template void log_fallback<>(op_event const&);
template void log_copy<>(op_event const&, transfers);
template void log_copy_to<>(op_event const&);
template void throw_placement_error<>(op_event const&, settings_word);
template void throw_moved_op<>(op_event const&);
template std::uint64_t next_kernel_id<>() noexcept;
template std::string place_text<>(site);

// cpu/block_reader.hpp
template void const* read_elements<>(block_reader&, index_t, index_t);
template tile_rows read_rows<>(block_reader&, column_tile const&, index_t);
template void run_with_readers<>(block_call const&, any_shape const&, std::size_t, work_size const&,
                                 par, reading_function, void const*);
template bool prefers_tiles<>(block_call const&, any_shape const&, std::size_t);
template void run_on_tiles<>(block_call const&, any_shape const&, std::size_t, std::size_t, par,
                             tile_function, void const*);
template void run_on_finished<>(block_call const&, any_shape const&, finished_tile const&);

// cpu/map_blocks.hpp
template void run_contiguous_chunk<>(block_call const&, work_chunk const&);
template void run_contiguous_blocks<>(block_call const&, index_t, par);
template void run_strided_blocks<>(block_call const&, layout_level const&, any_shape const&, par);

// exec/launch_on.hpp
template void enqueue_launch<>(device, std::string_view, any_launch const&);

// cpu/parallel_for.hpp
template void run_large<>(work_size const&, chunk_function, void const*, bool);
template void stream_to<>(void*, void const*, std::size_t) noexcept;

// place/scope_stack.hpp
template scope_entry* grow_scope_stack<>();
template scope_entry* end_out_of_order<>(scope_entry&) noexcept;
template void repair_scopes<>() noexcept;
template void throw_scope_fault<>();

// place/settings.hpp
template std::uint32_t read_settings<>();

}  // namespace detail

}}  // namespace placement::v0_1

#include <placement/cuda/compile_once.cuh>  // empty unless a CUDA compiler reads it
