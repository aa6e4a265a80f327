#pragma once
/// Epilogues that a library of matrix products may apply.

namespace placement { inline namespace v0_1 {

/// Epilogues that an engine may apply: out + bias, max(out, 0), or both.
enum class gemm_epilogue : unsigned char { nothing, bias, relu, bias_relu };

namespace detail {

/// Bias and activation in the engine's terms; `known` if they are the whole epilogue.
struct recognized_epilogue {
  bool known = false;
  gemm_epilogue as = gemm_epilogue::nothing;
  void const* bias = nullptr;
};

/// An epilogue in the terms of a library of products, by type. bias: the slot of the bias.
struct epilogue_form {
  bool known = false;
  gemm_epilogue as = gemm_epilogue::nothing;
  int bias = -1;
};

/// True for an op whose `as_gemm_epilogue` names this epilogue, which an engine may apply.
template <class Op, gemm_epilogue As> inline constexpr bool matches_epilogue = false;
template <class Op, gemm_epilogue As> requires requires { Op::as_gemm_epilogue; }
inline constexpr bool matches_epilogue<Op, As> = Op::as_gemm_epilogue == As;

}  // namespace detail
}}  // namespace placement::v0_1
