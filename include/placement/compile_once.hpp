#pragma once
/// For one source file of a program whose others include compiled.hpp: here is what those leave
/// out.

#include <placement/expr/bind.hpp>

namespace placement::inline v0_1::detail {

template device_lists const& fix_devices<>();
template device_lists devices_now<>();
template void throw_unknown_device<>(device, device_lists const&);
template std::uint32_t read_settings<>();
template std::uint32_t intern<>(device_name const&);
template device_name interned<>(std::uint32_t);
template void* obtain<>(device, std::size_t, holder const&);
template void give_back<>(device, void*, std::size_t);
template void copy_by_queue<>(void*, device, void const*, device, std::size_t, queue_mark);
template void count_copy<>(device, device, std::size_t);
template op_record record_of<>(op_facts const&, std::string, origin const&, kernel_facts const&,
                               bool);
template void log_op<>(op_record);
template void log_fallback<>(op_record);
template void log_copy<>(std::string_view, device, device, std::size_t, site, bool);
template void refuse<>(op_record, settings_word);
template void refuse_move<>(op_record);
template void refuse_beyond_budget<>(std::string_view, device, device, std::uint32_t, site);

}  // namespace placement::inline v0_1::detail
