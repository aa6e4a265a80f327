#pragma once
/// For programs of many files: what does not depend on the expression (devices, memory, log,
/// messages) is compiled once in the program instead of in every file.
///
/// Include this beside placement.hpp, and compile_once.hpp in one source file of the program. Files
/// that include placement.hpp alone go on as they are.
///
/// The functions below are templates (`template <class Once = void>`) for this alone.

#include <placement/expr/bind.hpp>

namespace placement::inline v0_1::detail {

extern template device_lists const& fix_devices<>();
extern template device_lists devices_now<>();
extern template void throw_unknown_device<>(device, device_lists const&);
extern template std::uint32_t read_settings<>();
extern template std::uint32_t intern<>(device_name const&);
extern template device_name interned<>(std::uint32_t);
extern template void* obtain<>(device, std::size_t, holder const&);
extern template void give_back<>(device, void*, std::size_t);
extern template void copy_by_queue<>(void*, device, void const*, device, std::size_t, queue_mark);
extern template void count_copy<>(device, device, std::size_t);
extern template op_record record_of<>(op_facts const&, std::string, origin const&,
                                      kernel_facts const&, bool);
extern template void log_op<>(op_record);
extern template void log_fallback<>(op_record);
extern template void log_copy<>(std::string_view, device, device, std::size_t, site, bool);
extern template void refuse<>(op_record, settings_word);
extern template void refuse_move<>(op_record);
extern template void refuse_beyond_budget<>(std::string_view, device, device, std::uint32_t, site);

}  // namespace placement::inline v0_1::detail
