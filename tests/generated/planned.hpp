#pragma once
/// One generated expression in many situations. Its plans, explain(), and the log, counts and
/// errors of evaluation must agree op by op.
///
/// The templates here are thin, because each generated expression instantiates them. The functions
/// that they call are compiled once.

#include <generated/ops.hpp>
#include <generated/symbols.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace generated {

class planned;

/// One generated expression. See tools/generate_plans.py.
struct planned_expression {
  int number;
  char const* cpp;
  char const* symbols;
  char const* leaves;   ///< the symbols of each leaf's extents: `0,1 - 2`; - is a scalar.
  char const* devices;  ///< devices in the types of the leaves.
  bool types_tell;      ///< whether its type contains all device requests inside it.
  bool repeats;         ///< whether some leaf is read twice
  int scopes, pins;     ///< number of scopes and pins with random devices
  void (*run)(planned&);
};

/// The settings in force where an expression is written and evaluated.
struct situation {
  enum class rule { soft, hard, no_fallback, warn, refuse_copies, no_copies, one_copy };
  rule under{};
  char const* outer = "-";  ///< the device scope around it: - for none, T for the thread's device
  char const* inner = "-";  ///< a scope nested in `outer`
};

/// A plan of any type.
struct any_plan {
  std::vector<placement::plan_node> nodes{};
  int kernels = 0;

  any_plan() = default;
  template <std::size_t N>
  explicit any_plan(placement::plan<N> const& p) : nodes(p.begin(), p.end()), kernels(p.kernels) {}
};

/// The observed effects of an evaluation.
struct observed {
  std::vector<std::string> lines{};
  std::string error{};
  std::size_t copies = 0, bytes = 0;
  std::map<std::string, std::size_t> fallbacks{};  ///< count by message
};

/// Whether each producer with an element-wise epilogue has the shape of its fusion group. A plan of
/// the type assumes this when results are written in place.
template <class X> bool extents_are_equal(X const& x) {
  namespace d = placement::detail;
  if constexpr (placement::is_placed<X>) {
    return extents_are_equal(x.inner);
  } else if constexpr (placement::is_expr<X>) {
    bool equal = true;
    auto compare = [&](auto const* producer) {
      if constexpr (requires { producer->shape(); })
        equal = equal && producer->shape() == x.shape();
    };
    if constexpr (d::has_epilogue<X, false>) compare(d::producer_of<X, false>(x));
    if constexpr (d::has_epilogue<X, true>) compare(d::producer_of<X, true>(x));
    d::for_each_operand(x, [&](auto const& c) { equal = equal && extents_are_equal(c); });
    return equal;
  } else {
    return true;
  }
}

class planned {
 public:
  planned(planned_expression const& e, int draw);

  // ---- called by generated code

  template <class T, class X, class D> placement::tensor<T, X, D> leaf(int k) {
    return placement::tensor<T, X, D>(operand<T, X::rank>(k));
  }
  placement::with_device<> scope(int k) const {
    return placement::with_device<>(std::string_view(scopes_[static_cast<std::size_t>(k)]));
  }
  placement::device_request device_for(int k) const {
    return std::string_view(pins_[static_cast<std::size_t>(k)]);
  }
  placement::range range_for(int symbol) const {
    return symbols_.ranges[static_cast<std::size_t>(symbol)];
  }
  placement::index_t extent(int symbol) const {
    return symbols_.extents[static_cast<std::size_t>(symbol)];
  }
  template <class... S> placement::dextents<sizeof...(S)> shape(S... symbols) const {
    return placement::shape(extent(symbols)...);
  }

  /// Writes and evaluates the expression in every situation.
  template <int Number, class Make> void check(Make const& make) {
    using E = decltype(make());
    check_constant<Number, E>();
    for (situation const& s : situations()) {
      if (!wrong_.empty()) return;
      begin(s);
      equal_extents_ = extents_are_equal(make());
      plan_ = any_plan(plan_of(make()));
      check_same(any_plan(plan_of(make(), placement::this_machine(), policy())));
      if (e_.types_tell && no_thread_device())
        check_type(
            any_plan(placement::plan_of<E>(placement::this_machine(), policy(), requested())));
      check_text(placement::explain(make()));
      run<placement::detail::result_of<E>, is_silent<E>>(make);
      using open = placement::tensor<typename E::value_type, typename E::extents_type>;
      if constexpr (Number % 3 == 0 && !std::is_same_v<open, placement::detail::result_of<E>>)
        run<open, false>(make);  // the type of the target has no effect
      end();
    }
  }

  // ---- called by the test

  /// The first error. Empty if there is none.
  std::string const& wrong() const { return wrong_; }
  /// A description of all random choices.
  std::string description() const;
  int compared() const { return compared_; }
  int compared_types() const { return compared_types_; }
  int compared_copies() const { return compared_copies_; }
  int refused() const { return refused_; }

 private:
  /// Whether E uses only tensors with CPU:0 in their type and its result has that type, too. Its
  /// evaluation makes no placement decision and logs nothing.
  template <class E>
  static constexpr bool is_silent = std::is_same_v<placement::detail::device_in_type<E>,
                                                   placement::dev<placement::kind::cpu, 0>> &&
                                    placement::detail::is_here<E>;

  template <class Result, bool Silent, class Make> void run(Make const& make) {
    before();
    try {
      [[maybe_unused]] Result const value = make();
    } catch (placement::placement_error const& e) { seen_.error = e.what(); }
    after(Silent);
  }

  /// Checks that the compile-time plans of E for 0, 1, 2 and 4 GPUs equal the run-time plans.
  template <int Number, class E> void check_constant() {
    constexpr placement::policy p{Number % 2 == 0, Number % 7 != 0};
    constexpr placement::device_spec specs[] = {
        {},
        placement::device_spec{placement::device{placement::kind::gpu, 1}},
        placement::device_spec{placement::cpu0}};
    constexpr placement::device_spec w = specs[Number % 3];
    static constexpr auto none = placement::plan_of<E>(placement::machine{}, p, w);
    static constexpr auto one = placement::plan_of<E>(placement::machine{.gpus = 1}, p, w);
    static constexpr auto two = placement::plan_of<E>(placement::machine{.gpus = 2}, p, w);
    static constexpr auto four = placement::plan_of<E>(placement::machine{.gpus = 4}, p, w);
    static_assert(none.size != 0 && none.size == four.size && one.kernels == two.kernels);
    int const gpus = placement::device_count(placement::kind::gpu);
    plan_ = any_plan(gpus == 0 ? none : gpus == 1 ? one : gpus == 2 ? two : four);
    check_same(any_plan(placement::plan_of<E>(placement::this_machine(), p, w)));
  }

  template <class T, std::size_t R> placement::tensor<T, placement::dextents<R>> operand(int k);

  static std::vector<situation> situations();
  void begin(situation const& s);
  void end();
  void before();
  void after(bool silent);
  placement::policy policy() const;
  placement::device_spec requested() const { return placement::detail::requested_here().requested; }
  bool no_thread_device() const { return !placement::current_device().has_value(); }

  void check_same(any_plan const& other);
  void check_type(any_plan const& of_type);
  void check_text(std::string const& table);
  void check_error();
  void check_lines(bool finished);
  void check_totals();
  std::string expected_error() const;
  std::string error_of_kernel(int kernel) const;
  bool copies_are_refused(std::size_t& max) const;
  void fail(std::string what);

  planned_expression const& e_;
  int number_;
  dice dice_;
  drawn_symbols symbols_;
  std::vector<std::vector<placement::index_t>> shapes_;
  std::vector<std::string> devices_;  // devices of the open leaves
  std::vector<std::string> scopes_, pins_;
  bool has_empty_ = false;  // whether some extent is 0

  situation now_{};
  std::optional<placement::with_device<>> outer_, inner_;
  std::optional<placement::detail::settings_scope>
      settings_;  // the settings of evaluate(e, settings...)
  bool equal_extents_ = false;
  any_plan plan_;
  observed seen_;
  placement::copy_count copies_before_;
  std::vector<std::size_t> fallbacks_before_;  // count of each, in the order of fallbacks()
  std::vector<std::size_t> memory_before_;

  std::string wrong_;
  int compared_ = 0, compared_types_ = 0, compared_copies_ = 0, refused_ = 0;
};

/// Checks each expression in the configured number of draws: PLACEMENT_GENERATED_DRAWS, or 1 by
/// default and 4 in nightly runs. PLACEMENT_GENERATED_ONLY=17:0 runs only draw 0 of expression 17.
void check(std::span<planned_expression const> all);

}  // namespace generated
