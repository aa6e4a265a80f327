#pragma once
/// Expressions that live as long as an evaluation.

#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

class kept_nodes {
 public:
  constexpr kept_nodes() = default;
  constexpr ~kept_nodes() {
    for (kept const* k : all_) delete k;
  }
  kept_nodes(kept_nodes const&) = delete;
  kept_nodes& operator=(kept_nodes const&) = delete;

  /// A copy of e, which lives as long as this object.
  template <class E> E const& keep(E const& e) {
    all_.reserve(all_.size() + 1);
    auto const* const made = new node<E>(e);
    all_.push_back(made);
    return made->e;
  }

 private:
  struct kept {
    constexpr virtual ~kept() = default;
  };
  template <class E> struct node final : kept {
    explicit node(E const& from) : e(from) {}
    E e;
  };
  std::vector<kept const*> all_;
};

}}}  // namespace placement::v0_1::detail
