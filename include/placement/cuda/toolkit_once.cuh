#pragma once
/// Explicit instantiations of the CUDA functions, for one source file of a program. The program's
/// CUDA files then include compiled.hpp, which leaves these functions out. A C++ compiler with the
/// toolkit's headers can compile this file. placement::compiled contains such a file. In a file for
/// a CUDA compiler, compile_once.hpp includes this header.

#include <placement/cuda/toolkit_bodies.cuh>

namespace placement { inline namespace v0_1 { namespace cuda {

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

}}}  // namespace placement::v0_1::cuda
