#pragma once
/// One run of a generated expression with random extents, elements, devices and aliases, and the
/// checks of its result.
///
/// The templates here are thin, because each generated expression instantiates them. The functions
/// that they call are compiled once.

#include <generated/ops.hpp>
#include <generated/symbols.hpp>
#include <placement/placement.hpp>
#include <support/interpreter.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace generated {

class draw;

/// One generated expression. See tools/generate_expressions.py for the texts.
struct expression {
  int number;
  char const* cpp;
  char const* symbols;
  char const* program;
  char const* names;    ///< names of its ops, as the log prints them, sorted
  char const* targets;  ///< leaves that the result can be assigned to
  char const* tags;     ///< devices in the type: `s2=/gpu:0 p1=/cpu:0` means scope 2 and on() 1
  int scopes, pins;
  void (*run)(draw&);
};

/// The form of the assignment.
enum class form {
  fresh,     ///< tensor t = e.
  rvalue,    ///< t = e, where e is a temporary.
  lvalue,    ///< auto e = ...; t = e; t = e.
  view,      ///< view(t) = e.
  part,      ///< slice(permute(view(t), ...), ...) = e
  reversed,  ///< the same with all elements, some dimensions reversed, also if e reads t
};

/// The settings in force. All but the first can make the assignment an error.
enum class rule {
  soft,
  hard,      ///< hard placement
  no_copies  ///< explicit transfers
};

/// A leaf in one draw.
struct drawn_leaf {
  char type{};
  interpreter::shape shape;
  std::vector<interpreter::value> elements;
  std::vector<std::byte> bytes;  ///< the elements in memory; the external buffer of a borrowed leaf
  bool borrowed = false;
  bool shared = false;            ///< another tensor shares the elements
  bool without_elements = false;  ///< default-constructed
  std::string device;
};

class draw {
 public:
  draw(expression const& e, int number);

  // ---- called by generated code

  template <class T, class X> placement::tensor<T, X> leaf(int k) {
    if constexpr (std::is_same_v<X, placement::dextents<X::rank>>) return operand<T, X::rank>(k);
    else return placement::tensor<T, X>(operand<T, X::rank>(k));
  }
  /// The tensor that the result is assigned to, unless it is a leaf.
  template <class T, class X> placement::tensor<T, X> target() { return old_target<T, X::rank>(); }
  placement::with_device<> scope(int k) const {
    return placement::with_device<>(request_for(scopes_[static_cast<std::size_t>(k)]));
  }
  placement::device_request device_for(int k) const {
    return request_for(pins_[static_cast<std::size_t>(k)]);
  }
  /// An empty name means no preference, because a partial name would be merged with outer scopes.
  static placement::device_request request_for(std::string const& name) {
    if (name.empty()) return placement::no_preference;
    return std::string_view(name);
  }
  placement::range range_for(int symbol) const { return ranges_[static_cast<std::size_t>(symbol)]; }
  placement::index_t extent(int symbol) const { return extents_[static_cast<std::size_t>(symbol)]; }
  template <class... S> placement::dextents<sizeof...(S)> shape(S... symbols) const {
    return placement::shape(extent(symbols)...);
  }

  /// 0: the new target; k: the k-th leaf that can be a target.
  int to() const { return to_; }
  template <class T, class X, class Make>
  void assign(placement::tensor<T, X>& to, Make const& make) {
    T const* const before = std::as_const(to).data();
    begin();
    try {
      assign_as_drawn(to, make);
    } catch (placement::placement_error const& refused) { refused_ = refused.what(); }
    end();
    if (std::as_const(to).data() == before) in_place_ = true;
    check_result<T, X::rank>(to);
  }
  /// Checks that the leaf is unchanged, unless it was assigned to.
  template <class T, class X> void leave(int k, placement::tensor<T, X> const& x) {
    check_leaf<T, X::rank>(k, x);
  }

  // ---- called by the test

  /// Runs the draw and returns the first error. Empty if there is none.
  std::string outcome();
  std::size_t compared() const { return compared_; }
  std::size_t unsure() const { return unsure_; }
  /// A description of all random choices.
  std::string description() const;

 private:
  template <class T, class X, class Make>
  void assign_as_drawn(placement::tensor<T, X>& to, Make const& make) {
    if (logs_ || rule_ != rule::soft) expect(plan_of(make()));
    switch (form_) {
      case form::fresh: {
        placement::tensor<T, X> t = make();
        end_scope();
        to = std::move(t);
        break;
      }
      case form::rvalue: to = make(); break;
      case form::lvalue: {
        auto e = make();
        end_scope();
        to = e;
        if (assigns_twice()) to = e;
        break;
      }
      case form::view: view(to) = make(); break;
      default:
        if constexpr (X::rank > 0) {
          auto const r = [&]<std::size_t... D>(std::index_sequence<D...>) {
            return slice(permute(view(to), order_[D]...), part_[D]...);
          }(std::make_index_sequence<X::rank>{});
          r = make();
        }
    }
  }
  template <class T, std::size_t R> placement::tensor<T, placement::dextents<R>> operand(int k);
  template <class T, std::size_t R> placement::tensor<T, placement::dextents<R>> old_target();
  template <class T, std::size_t R>
  void check_result(placement::tensor<T, placement::dextents<R>> const& result);
  template <class T, std::size_t R>
  void check_leaf(int k, placement::tensor<T, placement::dextents<R>> const& x);
  void begin();
  void end();
  void hold(std::function<void()> check) { held_.push_back(std::move(check)); }
  template <std::size_t N> void expect(placement::plan<N> const& p) {
    plan_.assign(p.begin(), p.end());
    kernels_ = p.kernels;
  }
  void end_scope() { outer_.reset(); }
  bool assigns_twice() const;

  void draw_extents();
  void draw_devices();
  void draw_leaves();
  void draw_assignment();
  bool sizes_are_fair() const;
  placement::device device_of(interpreter::node const& n) const;
  std::string spec_of(interpreter::node const& n) const;
  void wrong(std::string what);
  void check_element(char type, std::size_t at, interpreter::value const& want, double v,
                     std::int64_t i);
  void check_log();
  void check_error_message();
  bool must_be_in_place() const;
  void check_plan(std::vector<std::string> const& ops, std::size_t copies, std::size_t bytes,
                  std::size_t fallbacks);
  bool writes_through() const {
    return form_ == form::view || form_ == form::part || form_ == form::reversed;
  }
  drawn_leaf const* target_leaf() const;
  interpreter::shape result_shape() const;
  placement::memory_stats memory(int gpu) const;

  expression const& e_;
  int number_;
  dice dice_;
  std::vector<interpreter::node> nodes_;
  std::vector<interpreter::index> extents_;
  std::vector<interpreter::positions> positions_;
  std::vector<placement::range> ranges_;
  std::vector<drawn_leaf> leaves_;
  std::vector<std::string> scopes_, pins_;
  std::vector<int> targets_;
  int to_ = 0;
  int gpus_ = 0;
  form form_{};
  bool logs_ = false;
  std::optional<placement::with_device<>> outer_;
  std::vector<std::string> lines_;
  std::vector<placement::range> part_;  // of the forms part and reversed
  std::vector<interpreter::positions> part_positions_;
  interpreter::shape target_shape_;  // of the new target
  std::vector<interpreter::value> target_elements_;
  std::string target_device_;
  bool target_shared_ = false;
  std::vector<int> order_;                   // of dimensions, for the same forms
  std::vector<std::function<void()>> held_;  // checks of handles that share elements
  rule rule_{};
  std::string refused_;  // the message of the error
  bool in_place_ = false;
  placement::copy_count copies_before_;
  std::size_t fallbacks_before_ = 0;
  std::vector<placement::plan_node> plan_;
  int kernels_ = 0;
  std::string wrong_;
  bool checked_ = false;
  std::size_t compared_ = 0, unsure_ = 0;
};

/// Runs each expression in the configured number of draws: PLACEMENT_GENERATED_DRAWS, or 20 by
/// default and 50 in nightly runs. PLACEMENT_GENERATED_ONLY=17:3 runs only draw 3 of expression 17.
void check(std::span<expression const> all);

}  // namespace generated
