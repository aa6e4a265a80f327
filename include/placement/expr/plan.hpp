#pragma once
/// What an expression will do, as a value: for each op its device and why, the kernel it is part of, and the copies.
///
/// Made by the functions that evaluation itself asks (place, joins, epilogue_of), from the type alone at compile time
/// or from the expression with its shapes, operands and scopes.

#include <placement/expr/decide.hpp>
#include <placement/expr/list.hpp>

#include <string>
#include <vector>

namespace placement::inline v0_1 {

/// One op of a plan.
struct plan_node {
  std::string_view op{};       ///< as the placement log prints it; "Copy" for a tensor that on() moves
  std::string_view element{};  ///< the element type its kernel is looked up by
  placement::device device{};
  reason why{};
  bool fell_back = false;
  bool refused = false;  ///< hard placement: evaluating it is an error
  wish asked{};          ///< by its kernel; nothing if nobody asked
  wish written{};        ///< under which the op itself was written
  bool moved = false;    ///< fusing runs it elsewhere than it was written for
  int kernel = -1;       ///< kernels are numbered in the order they run; -1: a Copy
  bool root = false;     ///< the kernel's outermost op
  std::size_t rank = 0;
  index_t extent[max_rank]{};  ///< of the result; dyn where only the value knows
  std::size_t copies = 0;      ///< operands copied for its kernel; said by the outermost op
  std::size_t bytes = 0;       ///< in those copies
};

/// What became of an expression. Iterable; nodes are in the order in which the log prints them.
template <std::size_t N>
struct plan {
  plan_node nodes[N > 0 ? N : 1]{};
  std::size_t size = 0;  ///< how many of them there are
  int kernels = 0;

  constexpr plan_node const* begin() const { return nodes; }
  constexpr plan_node const* end() const { return nodes + size; }

  /// The nth op of this name, from 0. Throws: invalid_argument (no constant expression) when there is none.
  constexpr plan_node const& node(std::string_view op, std::size_t nth = 0) const {
    for (plan_node const& n : *this)
      if (n.op == op && nth-- == 0) return n;
    throw invalid_argument("placement: there is no such op in this plan. Print it with to_string to see the ops.");
  }
  /// Kernels that do not run where they were asked to.
  constexpr int fallbacks() const {
    int sum = 0;
    for (plan_node const& n : *this) sum += n.root && n.fell_back;
    return sum;
  }
  constexpr std::size_t copies() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) sum += n.copies;
    return sum;
  }
  constexpr std::size_t bytes_moved() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) sum += n.bytes;
    return sum;
  }
};

namespace detail {

/// The most nodes that a plan of E can have.
template <class E>
constexpr std::size_t op_count() {
  if constexpr (is_placed<E>) {
    using inner = decltype(E::inner);
    return stored<inner> ? 1 : op_count<inner>();
  } else if constexpr (is_expr<E>) {
    std::size_t n = 1;
    operands_of<E>::each([&]<class C>() { n += op_count<C>(); });
    return n;
  } else {
    return 0;
  }
}

/// Walks an expression, or its type alone where the pointers are null, kernel by kernel in the order they run.
template <std::size_t N>
class planner {
 public:
  constexpr planner(machine m, policy p, wish scope) : machine_(m), policy_(p), scope_(scope) {}

  plan<N> made{};

  /// Plans the kernels of e; gives the device of its result.
  template <class E, class Pin>
  constexpr device whole(E const* e, Pin const& pin) {
    if constexpr (is_placed<E>) {
      using inner = decltype(E::inner);
      inner const* const below = e != nullptr ? &e->inner : nullptr;
      if constexpr (stored<inner>) return moved_tensor(below, pin_for(e));
      else return whole(below, pin_for(e));
    } else {
      asking const asked = asked_by_kernel(e, pin);
      policy p = policy_;
      if constexpr (Pin::strict) p.soft = false;
      verdict const v = decide<E>(asked, machine_, p);
      if constexpr (splits<E>) {
        if (v.split) return one_kernel<true>(e, pin, asked, v.decided);
      }
      return one_kernel<false>(e, pin, asked, v.decided);
    }
  }

 private:
  /// The operands of a kernel that are copied for it.
  struct arrivals {
    placement::device where;
    std::size_t copies = 0, bytes = 0;
    std::vector<buffer const*> seen{};

    constexpr void from(placement::device d, std::size_t size) {
      if (d == where || size == 0) return;
      ++copies;
      bytes += size;
    }
    void stored_elements(buffer const* b) {
      if (b == nullptr || b->where() == where || b->size() == 0) return;
      for (buffer const* s : seen)
        if (s == b) return;
      seen.push_back(b);
      from(b->where(), b->size());
    }
  };

  template <class E, class D, class P>
  constexpr pinned_by<P> pin_for(placed<E, D, P> const* e) {
    if constexpr (D::value.said()) return {wish{D::value}};
    else return {e != nullptr ? e->asked : wish{}};
  }
  template <class E, class Pin>
  constexpr asking asked_by_kernel(E const* e, Pin const& pin) const {
    if constexpr (requires { pin.asked; }) return {pin.asked, pin.asked.said() ? asked_by::pin : asked_by::nobody};
    else if (e != nullptr) return {e->from.asked, e->from.who};
    else return {scope_, scope_.said() ? asked_by::scope : asked_by::nobody};
  }

  template <std::size_t I, class X>
  static constexpr auto operand_of(X const* x) {
    return x != nullptr ? &x->template arg<I>() : nullptr;
  }
  template <class X, class F>
  static constexpr void each_operand(X const* x, F f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (f(operand_of<I>(x)), ...); }(std::make_index_sequence<X::arity>{});
  }

  /// on(device, tensor): a copy, unless it is there.
  template <class T, class Pin>
  constexpr device moved_tensor(T const* t, Pin const& pin) {
    decision const d = place({pin.asked, asked_by::pin, {true, true}}, machine_, Pin::strict ? policy{false} : policy_);
    plan_node n;
    n.op = "Copy";
    n.element = element_name<typename T::value_type>();
    n.device = d.device;
    n.why = d.why;
    n.fell_back = d.fell_back;
    n.refused = d.refused;
    n.asked = n.written = pin.asked;
    set_shape(n, t);
    arrivals in{d.device};
    if (t != nullptr) bring_stored(*t, in);
    n.copies = in.copies;
    n.bytes = in.bytes;
    made.nodes[made.size++] = n;
    return d.device;
  }

  template <class T>
  void bring_stored(T const& t, arrivals& in) {
    if constexpr (is_reference<T>) in.stored_elements(tensor_parts::elements(t.target()).get());
    else in.stored_elements(tensor_parts::elements(t).get());
  }

  /// An operand that is not part of the kernel.
  template <class C, class Pin>
  constexpr void arrive(C const* c, Pin const& pin, arrivals& in) {
    if constexpr (is_scalar<C>) {
      return;
    } else if constexpr (stored<C>) {
      if (c != nullptr) bring_stored(*c, in);
    } else if constexpr (is_list<C>) {
      if (c != nullptr)
        for (auto const& t : c->items) bring_stored(t, in);
    } else {
      device const d = whole(c, pin);
      in.from(d, bytes_of(c));
    }
  }
  template <class C>
  static constexpr std::size_t bytes_of(C const* c) {
    using X = typename C::extents_type;
    if constexpr (X::is_static) return X::count() * sizeof(typename C::value_type);
    else return c != nullptr ? c->shape().count() * sizeof(typename C::value_type) : 0;
  }

  /// The operands of a region, in the order in which evaluation brings them.
  template <class R, bool Split, class X, class Producer, class Pin>
  constexpr void arrive_region(X const* x, Producer const* producer, bool fused, Pin const& pin, arrivals& in) {
    each_operand(x, [&]<class C>(C const* c) {
      if constexpr (joins<C, R, Split>) {
        arrive_region<R, Split>(c, producer, fused, pin, in);
      } else if constexpr (std::is_same_v<C, Producer>) {
        if (!(fused && c == producer)) arrive(c, pin, in);
      } else {
        arrive(c, pin, in);
      }
    });
  }
  template <class X, class Pin>
  constexpr void arrive_strided(X const* x, Pin const& pin, arrivals& in) {
    if constexpr (relayout<X> && is_viewable<X>) arrive_strided(operand_of<0>(x), pin, in);
    else arrive(x, pin, in);
  }
  template <bool Split, class E, class Pin>
  constexpr void arrive_kernel(E const* e, Pin const& pin, arrivals& in) {
    if constexpr (contracting<E>) {
      each_operand(e, [&](auto const* c) { arrive_strided(c, pin, in); });
    } else if constexpr (folding<E> || fusing<E>) {
      arrive_region<E, Split>(e, static_cast<no_epilogue const*>(nullptr), false, pin, in);
    } else {
      each_operand(e, [&](auto const* c) { arrive(c, pin, in); });
    }
  }

  template <bool Split, class E, class Pin>
  constexpr device one_kernel(E const* e, Pin const& pin, asking const& asked, decision const& d) {
    arrivals in{d.device};
    bool fused = false;
    if constexpr (has_epilogue<E, Split>) {
      using C = bare<decltype(*std::declval<epilogue_type<E, Split>>())>;
      C const* producer = nullptr;
      fused = true;
      if (e != nullptr) {
        producer = epilogue_of<E, Split>(*e);
        fused = producer->shape() == e->shape();
      }
      arrive_region<E, Split>(e, producer, fused, pin, in);
      if (fused) arrive_kernel<Split>(producer, pin, in);
      int const number = made.kernels++;
      note_region<E, Split>(e, producer, fused, true, asked, d, number, in);
    } else {
      arrive_kernel<Split>(e, pin, in);
      int const number = made.kernels++;
      note_region<E, Split>(e, static_cast<no_epilogue const*>(nullptr), false, true, asked, d, number, in);
    }
    return d.device;
  }

  /// The ops of a kernel, as for_each_fused visits them.
  template <class R, bool Split, class X, class Producer>
  constexpr void note_region(X const* x, Producer const* producer, bool fused, bool is_root, asking const& asked,
                             decision const& d, int kernel, arrivals const& in) {
    if constexpr (is_expr<X>) {
      each_operand(x, [&]<class C>(C const* c) {
        if constexpr (contracting<X>) {
          if constexpr (relayout<C> && is_viewable<C>)
            note_region<C, false>(c, producer, fused, false, asked, d, kernel, in);
        } else if constexpr (!custom_node<X> && joins<C, R, Split>) {
          note_region<R, Split>(c, producer, fused, false, asked, d, kernel, in);
        } else if constexpr (std::is_same_v<C, Producer>) {
          if (fused && c == producer) note_region<C, Split>(c, producer, fused, false, asked, d, kernel, in);
        }
      });
      plan_node n;
      n.op = X::op_type::name;
      n.element = element_name<element_of<X>>();
      n.device = d.device;
      n.why = d.why;
      n.fell_back = d.fell_back;
      n.refused = d.refused;
      n.asked = asked.asked;
      n.written = x != nullptr ? x->from.asked : scope_;
      n.moved = !is_root && x != nullptr && asked.who != asked_by::pin && !(n.written == n.asked);
      n.kernel = kernel;
      n.root = is_root;
      set_shape(n, x);
      if (is_root) {
        n.copies = in.copies;
        n.bytes = in.bytes;
      }
      made.nodes[made.size++] = n;
    }
  }
  template <class X>
  static constexpr void set_shape(plan_node& n, X const* x) {
    using S = typename X::extents_type;
    n.rank = S::rank;
    for (std::size_t i = 0; i != S::rank; ++i) n.extent[i] = x != nullptr ? x->shape().at(i) : S::static_extent(i);
  }

  machine machine_;
  policy policy_;
  wish scope_;
};

}  // namespace detail

/// The plan of an expression type on a machine: a constant. `scope`: the device scope it is written in.
/// Where the type does not tell, it is assumed that operands are where they are needed, that extents which may be equal
/// are, and that a run-time on() asks for nothing.
template <class E>
constexpr auto plan_of(machine m, policy p = {}, wish scope = {}) {
  detail::planner<detail::op_count<bare<E>>()> walk(m, p, scope);
  walk.template whole<bare<E>>(nullptr, detail::no_pin{});
  return walk.made;
}
/// The plan of this expression: with the scopes its ops were written in, and where its operands are now.
template <lazy E>
auto plan_of(E const& e, machine m, policy p = {}) {
  detail::planner<detail::op_count<E>()> walk(m, p, {});
  walk.whole(&e, detail::no_pin{});
  return walk.made;
}
/// The plan of this expression on this machine, under the settings in force here.
template <lazy E>
auto plan_of(E const& e) {
  return plan_of(e, this_machine(), detail::settings_here().policy());
}

namespace detail {
inline std::string shape_text(plan_node const& n) {
  std::string text = "[";
  for (std::size_t d = 0; d != n.rank; ++d)
    text += (d == 0 ? "" : ", ") + (n.extent[d] == dyn ? std::string("?") : std::to_string(n.extent[d]));
  return text + "]";
}
/// A table with every column as wide as its longest cell.
inline std::string table_text(std::vector<std::vector<std::string>> const& rows) {
  std::string text;
  std::vector<std::size_t> width;
  for (auto const& row : rows)
    for (std::size_t c = 0; c != row.size(); ++c) {
      if (width.size() <= c) width.push_back(0);
      if (row[c].size() > width[c]) width[c] = row[c].size();
    }
  for (auto const& row : rows) {
    for (std::size_t c = 0; c != row.size(); ++c) {
      text += row[c];
      if (c + 1 != row.size()) text.append(width[c] - row[c].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}
}  // namespace detail

/// A table for people: op, shape, device, why, kernel and what it is fused with, bytes moved.
/// `simulated`: say so beside each GPU.
template <std::size_t N>
std::string to_string(plan<N> const& p, bool simulated = false) {
  std::vector<std::vector<std::string>> rows{{"op", "shape", "device", "kernel", "moved", "why"}};
  for (plan_node const& n : p) {
    std::string device = to_string(n.device);
    if (simulated && n.device.is_gpu()) device += " (simulated)";
    std::string kernel = n.kernel < 0 ? std::string("-") : std::to_string(n.kernel);
    if (!n.root && n.kernel >= 0)
      for (plan_node const& root : p)
        if (root.root && root.kernel == n.kernel) kernel += ", in " + std::string(root.op);
    std::string why(to_string(n.why));
    if (n.fell_back && n.asked.said()) why = "asked for " + to_string(n.asked) + ": " + why;
    if (n.refused) why += " (refused)";
    if (n.moved) why += "; written in " + (n.written.said() ? to_string(n.written) : std::string("no scope"));
    std::string const moved = n.copies == 0 ? std::string("-") : std::to_string(n.bytes) + " B";
    rows.push_back({std::string(n.op) + '<' + std::string(n.element) + '>', detail::shape_text(n), device, kernel, moved, why});
  }
  return detail::table_text(rows);
}

/// What evaluating e here and now will do, as a table. Computes nothing.
template <lazy E>
std::string explain(E const& e) {
  machine const m = this_machine();
  return to_string(plan_of(e, m, detail::settings_here().policy()), !m.real);
}

}  // namespace placement::inline v0_1
