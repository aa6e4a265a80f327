#pragma once
/// Loops of ops over rows of two operands, of which one element may repeat along a row. They are
/// compiled once for several levels of x86-64. The driver of block kernels calls them
/// (cpu/block_runner.hpp), and files for plain x86-64 do for arrays (cpu/block_stages.hpp). Each
/// gives the bits of the op's formula.

#include <placement/cpu/block_call.hpp>

#include <concepts>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// Element j of row r of the result is f(x, y) of element j of the operands' rows r; a row_function
/// each. The result may be an operand whose elements are at the same places.
template <class T> struct row_loops {
  static void add(row_block const& b);
  static void subtract(row_block const& b);
  static void multiply(row_block const& b);
};
/// The same for quotients of floating point. Not a constrained member of row_loops: only clang's
/// symbols contain constraints, and files of both compilers are linked.
template <class T> struct row_quotients {
  static void divide(row_block const& b);
};

/// Element types of these loops. Integers have no loop for quotients.
template <class T> concept has_row_loops = std::same_as<T, float> || std::same_as<T, double> ||
                                           std::same_as<T, std::int32_t> ||
                                           std::same_as<T, std::int64_t>;

}}}  // namespace placement::v0_1::detail
