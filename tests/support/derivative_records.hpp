#pragma once
/// What tests of random derivatives covered, for tests/gradient/random_coverage.py. Where
/// PLACEMENT_DERIVATIVE_RECORDS names a file, a line is added to it at the end of each process:
/// a hash of all gradients, and the ops whose derivatives were compared.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace test {

class derivative_records {
 public:
  derivative_records(derivative_records const&) = delete;
  derivative_records& operator=(derivative_records const&) = delete;

  /// The ops in the type of an expression.
  template <class E> static void note_ops() {
    if (file()) one().add_ops(__PRETTY_FUNCTION__);
  }
  /// A tuple of tensors.
  template <class... G> static void note_gradients(std::tuple<G...> const& gradients) {
    if (!file()) return;
    std::apply([](auto const&... g) { (one().add_elements(g), ...); }, gradients);
  }
  /// The difference from the gradient in double, in units of epsilon.
  static void note_error(std::size_t bytes, double units) {
    double& worst = bytes == 8 ? one().worst_[0] : bytes == 4 ? one().worst_[1] : one().worst_[2];
    if (!(units <= worst)) worst = units;
  }

 private:
  derivative_records() = default;
  ~derivative_records() {
    if (!file()) return;
    std::FILE* const to = std::fopen(file(), "a");
    if (to == nullptr) return;
    std::string line = std::to_string(hash_);
    for (double const w : worst_) line += " " + std::to_string(w);
    for (std::string const& op : ops_) line += " " + op;
    std::fprintf(to, "%s\n", line.c_str());
    std::fclose(to);
  }
  static derivative_records& one() {
    static derivative_records records;
    return records;
  }
  static char const* file() { return std::getenv("PLACEMENT_DERIVATIVE_RECORDS"); }

  /// Each word of the text that ends in _op.
  void add_ops(std::string_view text) {
    auto const is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      for (end = at; end != text.size() && is_letter(text[end]);) ++end;
      if (auto const word = text.substr(at, end - at); word.ends_with("_op")) ops_.emplace(word);
    }
  }
  template <class G> void add_elements(G const& g) {
    auto const* const bytes = reinterpret_cast<unsigned char const*>(g.read().data());
    for (std::size_t i = 0; i != g.size() * sizeof(typename G::value_type); ++i)
      hash_ = (hash_ ^ bytes[i]) * 1099511628211u;
  }

  std::uint64_t hash_ = 14695981039346656037u;
  double worst_[3]{};
  std::set<std::string> ops_;
};

}  // namespace test
