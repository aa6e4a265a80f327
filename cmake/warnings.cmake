# placement_warnings: what our own tests, examples and benchmarks are compiled with. Never part of placement::placement.
# The presets turn warnings into errors by CMAKE_COMPILE_WARNING_AS_ERROR.
set(placement_warning_flags -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)

# nvcc has no clean -Wpedantic: it reports thousands of lines that nvcc itself wrote.
set(placement_cuda_warning_flags ${placement_warning_flags})
list(REMOVE_ITEM placement_cuda_warning_flags -Wpedantic)
list(JOIN placement_cuda_warning_flags "," placement_cuda_warning_flags)

add_library(placement_warnings INTERFACE)
target_compile_options(placement_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${placement_warning_flags}>"
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wuseless-cast>"
  "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=${placement_cuda_warning_flags}>")
