#pragma once
/// The loops of matrix products, compiled for the flags of this file and, of float and double, for
/// higher levels of x86-64.

#include <placement/cpu/gemm_narrow.hpp>
#include <placement/cpu/gemm_packed.hpp>
#include <placement/cpu/gemm_small.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The loops of one level. All but `small` return false, without any effect, for products that they
/// do not compute.
template <class T> struct product_loops {
  void (*small)(product_batch<T> const& all);
  bool (*vector)(matrix_product<T> const& p);
  bool (*narrow)(matrix_product<T> const& p, index_t first, epilogue_callback const& callback);
  bool (*packed)(matrix_product<T> const& p, index_t first, epilogue_callback const& callback);
  index_t register_columns;  ///< columns that fill a vector register
};

/// Products of at most two registers of columns, or four where registers are short.
template <class T, int Bytes, bool ManyRegisters>
PLACEMENT_ALWAYS_INLINE inline bool gemm_by_columns(matrix_product<T> const& p, index_t first,
                                                    epilogue_callback const& callback) {
  using one = gemm_narrow<T, Bytes, ManyRegisters, 1>;
  using two = gemm_narrow<T, Bytes, ManyRegisters, 2>;
  if constexpr (one::width > 1) {
    if (p.columns <= one::width) return one::multiply(p, first, callback);
    if (p.columns <= two::width) return two::multiply(p, first, callback);
    if constexpr (Bytes == 16) {
      using four = gemm_narrow<T, Bytes, ManyRegisters, 4>;
      if (p.columns <= four::width) return four::multiply(p, first, callback);
    }
  }
  return false;
}

/// For the flags of this file, whose kernels are K.
template <class T, class K = cpu_kernels> struct loops_of_file {
  static constexpr int bytes = PLACEMENT_VECTOR_BYTES;
  static constexpr bool many_registers = PLACEMENT_MANY_VECTORS;

  static void small(product_batch<T> const& all) { gemm_small<bytes, many_registers>(all); }
  static bool vector(matrix_product<T> const& p) { return multiply_vector<bytes>(p); }
  static bool narrow(matrix_product<T> const& p, index_t first, epilogue_callback const& callback) {
    return gemm_by_columns<T, bytes, many_registers>(p, first, callback);
  }
  static bool packed(matrix_product<T> const& p, index_t first, epilogue_callback const& callback) {
    return gemm_packed<T, bytes, many_registers>::multiply(p, first, callback);
  }
};
template <class T> struct loops_for_avx2 {
  static constexpr int bytes = 32;

  PLACEMENT_FOR_AVX2 static void small(product_batch<T> const& all) {
    gemm_small<bytes, false>(all);
  }
  PLACEMENT_FOR_AVX2 static bool vector(matrix_product<T> const& p) {
    return multiply_vector<bytes>(p);
  }
  PLACEMENT_FOR_AVX2 static bool narrow(matrix_product<T> const& p, index_t first,
                                        epilogue_callback const& callback) {
    return gemm_by_columns<T, bytes, false>(p, first, callback);
  }
  PLACEMENT_FOR_AVX2 static bool packed(matrix_product<T> const& p, index_t first,
                                        epilogue_callback const& callback) {
    return gemm_packed<T, bytes, false>::multiply(p, first, callback);
  }
};
template <class T> struct loops_for_avx512 {
  static constexpr int bytes = 64;

  /// Short squares gain nothing from longer registers, and their loops take long to compile.
  PLACEMENT_FOR_AVX512 static void small(product_batch<T> const& all) {
    matrix_product<T> const& p = all.first;
    if (p.rows <= 12 && p.rows == p.columns && p.rows == p.depth)
      return loops_for_avx2<T>::small(all);
    gemm_small_tiles<bytes, true>(all);
  }
  PLACEMENT_FOR_AVX512 static bool vector(matrix_product<T> const& p) {
    return multiply_vector<bytes>(p);
  }
  PLACEMENT_FOR_AVX512 static bool narrow(matrix_product<T> const& p, index_t first,
                                          epilogue_callback const& callback) {
    return gemm_by_columns<T, bytes, true>(p, first, callback);
  }
  PLACEMENT_FOR_AVX512 static bool packed(matrix_product<T> const& p, index_t first,
                                          epilogue_callback const& callback) {
    return gemm_packed<T, bytes, true>::multiply(p, first, callback);
  }
};

/// The functions of one of these classes.
template <class T, class Loops>
inline constexpr product_loops<T> table_of_loops{&Loops::small, &Loops::vector, &Loops::narrow,
                                                 &Loops::packed,
                                                 Loops::bytes / index_t{sizeof(summed<T>)}};

/// Whether products of T are compiled for several levels.
template <class T>
inline constexpr bool has_loops_by_level = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// The loops for this machine's processor.
template <class T, class K = cpu_kernels> product_loops<T> const& loops_of_processor() noexcept {
  if constexpr (has_loops_by_level<T> && PLACEMENT_HAS_LEVELS) {
    cpu_level const level = cpu_level_in_use();
    if (level == cpu_level::avx512) return table_of_loops<T, loops_for_avx512<T>>;
    if constexpr (PLACEMENT_X86_LEVEL < 3)
      if (level == cpu_level::avx2) return table_of_loops<T, loops_for_avx2<T>>;
  }
  return table_of_loops<T, loops_of_file<T, K>>;
}

}}}  // namespace placement::v0_1::detail
