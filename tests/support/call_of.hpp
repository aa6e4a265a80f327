#pragma once
/// Functions of any type, by a pointer.

#include <type_traits>

namespace test {

/// Calls an object of any type, which outlives it. A function that takes one is compiled once, not
/// for each type.
template <class> class call_of;
template <class R, class... A> class call_of<R(A...)> {
 public:
  template <class F>
  call_of(F const& f)
      : object_(&f), call_([](void const* object, A... a) -> R {
          return (*static_cast<F const*>(object))(a...);
        }) {}
  R operator()(A... a) const { return call_(object_, a...); }

 private:
  void const* object_;
  R (*call_)(void const*, A...);
};

/// The same where the types of R and A are not deduced.
template <class F> using call = std::type_identity_t<call_of<F>>;

}  // namespace test
