#pragma once
/// Plans as JSON, for tools.

#include <placement/plan/plan.hpp>

#include <string>

namespace placement { inline namespace v0_1 {

namespace detail {
inline std::string json_text(std::string_view s) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char const c : s) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += {'\\', c};
    else if (code < 0x20) out += {'\\', 'u', '0', '0', hex[code >> 4], hex[code & 15]};
    else out += c;
  }
  return out + '"';
}
inline std::string json_shape(plan_node const& n) {
  std::string out = "[";
  for (std::size_t d = 0; d != n.rank; ++d)
    out += (d == 0 ? "" : ", ") +
           (n.extent[d] == dyn ? std::string("null") : std::to_string(n.extent[d]));
  return out + ']';
}
inline std::string json_size(std::size_t bytes) {
  return bytes == unknown_size ? std::string("null") : std::to_string(bytes);
}
template <std::size_t N> bool is_exact(plan<N> const& p) {
  bool exact = true;
  for (plan_node const& n : p) exact = exact && n.exact;
  return exact;
}
inline std::string json_node(plan_node const& n) {
  auto const flag = [](bool b) { return b ? "true" : "false"; };
  auto const number = [](int k) { return k < 0 ? std::string("null") : std::to_string(k); };
  std::string out = "{\"op\": " + json_text(n.op) + ", \"type\": " + json_text(n.element);
  if (!n.scope.empty()) out += ", \"scope\": " + json_text(n.scope);
  if (!n.gradient_of.empty()) out += ", \"gradient_of\": " + json_text(n.gradient_of);
  out += ", \"shape\": " + json_shape(n) + ", \"device\": " + json_text(to_string(n.device));
  out += ", \"why\": " + json_text(to_string(n.why)) +
         ", \"asked\": " + json_text(to_string(n.requested));
  out += ", \"written\": " + json_text(to_string(n.written));
  out += std::string(", \"fell_back\": ") + flag(n.fell_back) + ", \"refused\": " + flag(n.refused);
  out += std::string(", \"moved\": ") + flag(n.moved) + ", \"kernel\": " + number(n.kernel);
  out += std::string(", \"root\": ") + flag(n.root) + ", \"into\": " + number(n.into);
  out += ", \"copies\": " + std::to_string(n.copies);
  out += ", \"bytes\": " + json_size(n.exact ? n.bytes : unknown_size);
  return out + ", \"result_bytes\": " + json_size(n.result_bytes) + '}';
}
}  // namespace detail

/// `{"kernels": 2, "fallbacks": 0, "copies": 1, "bytes": 24, "temporaries": 1, "ops": [...]}`. Each
/// op has the members of plan_node. Unknown values are null: a run-time extent, bytes that depend
/// on one, the kernel of a Copy, the reader of the final result.
template <std::size_t N> std::string to_json(plan<N> const& p) {
  std::string out = "{\"kernels\": " + std::to_string(p.kernels);
  out += ", \"fallbacks\": " + std::to_string(p.fallbacks());
  out += ", \"copies\": " + std::to_string(p.copies());
  out += ", \"bytes\": " + detail::json_size(detail::is_exact(p) ? p.bytes_moved() : unknown_size);
  out += ", \"temporaries\": " + std::to_string(p.temporaries()) + ", \"ops\": [";
  for (plan_node const& n : p) out += (&n == p.begin() ? "\n  " : ",\n  ") + detail::json_node(n);
  return out + (p.size == 0 ? "]}\n" : "\n]}\n");
}

}}  // namespace placement::v0_1
