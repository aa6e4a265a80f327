# placement_warnings: the warning flags of this project's tests, examples and benchmarks. Never part of
# placement::placement. The presets turn warnings into errors with CMAKE_COMPILE_WARNING_AS_ERROR.
set(placement_warning_flags -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)

# nvcc does not compile cleanly with -Wpedantic: it reports thousands of lines that nvcc itself generated.
set(placement_cuda_warning_flags ${placement_warning_flags})
list(REMOVE_ITEM placement_cuda_warning_flags -Wpedantic)
list(JOIN placement_cuda_warning_flags "," placement_cuda_warning_flags)

add_library(placement_warnings INTERFACE)
target_compile_options(placement_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${placement_warning_flags}>"
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wuseless-cast>"
  "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=${placement_cuda_warning_flags}>")
