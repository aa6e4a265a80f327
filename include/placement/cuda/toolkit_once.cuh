#pragma once
/// For one source file of a program whose files for a CUDA compiler include compiled.hpp: here is
/// what those leave out. A C++ compiler that has the toolkit's headers will do. placement::compiled
/// has such a file, and compile_once.hpp is this, too, in a file for a CUDA compiler.

#include <placement/cuda/toolkit_bodies.cuh>

namespace placement::inline v0_1::cuda {

// context.cuh
template CUstream_st* stream_of<>(logical_device const&);

// launch.cuh
template void launch_kernel<>(launch const&, logical_device const&, std::string_view);

// registration.cuh
template cuda_platform& platform_of_process<>();

// reports.cuh
template kernel_report* report_of<>(logical_device const&);

namespace detail {

// check.cuh
template void throw_runtime_error<>(cudaError_t, std::string_view, logical_device const&);
template void throw_launch_error<>(cudaError_t, std::string_view, logical_device const&);

// context.cuh
template work_queue& queue_of<>(logical_device const&);
template stream_switch switch_stream<>(device, CUstream_st*);
template void restore_stream<>(stream_switch const&) noexcept;

// registration.cuh
template bool register_cuda<>(std::initializer_list<int>);

}  // namespace detail

}  // namespace placement::inline v0_1::cuda
