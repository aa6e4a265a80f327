#pragma once
/// Computes the plan of an expression with the functions that evaluation uses. Works at compile
/// time from the type alone, or at run time from the expression.

#include <placement/plan/planned_kernels.hpp>
#include <placement/plan/planned_requests.hpp>
#include <placement/plan/read_bytes.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Walks an expression, or its abstract expression, kernel by kernel in execution order. E: the
/// expression's type. n: the node.
template <std::size_t N, class Rule = no_rule> class planner : planned_requests<Rule> {
  using planned_requests<Rule>::machine_;
  using planned_requests<Rule>::policy_;
  using planned_requests<Rule>::shapes_known_;
  using known_kernels = planned_kernels<N>;

 public:
  using planned_requests<Rule>::planned_requests;

  plan<N> made{};

  /// Plans the kernels of e and returns the device of its result.
  template <class E, class Node, class Pin> constexpr device whole(Node const& n, Pin const& pin) {
    if constexpr (begins_sharing<E, Pin>) {
      known_kernels known;
      return whole<E>(n, sharing_pin<E, Pin, known_kernels>{pin, known});
    } else if constexpr (is_placed<E>) {
      using inner = decltype(E::inner);
      if constexpr (stored<inner>)
        return moved_tensor<inner>(n.inner, this->template pin_for<E>(n));
      else return whole<inner>(n.inner, pin_below(pin, this->template pin_for<E>(n)));
    } else if constexpr (pinned_by_its_type<E, Pin>) {
      return whole<E>(n, pin_below(pin, pinned_by_type<device_in_type<E>>{}));
    } else if constexpr (chooses_expression<E>) {
      if constexpr (is_abstract<Node>) {
        return whole<operand_type<E, 0>>(n.template arg<0>(), pin);
      } else {
        device where{};
        E::op_type::choose(n, [&](auto const& chosen) {
          with_chosen<E>(pin, chosen, [&]<class X>(X const& x) { where = whole<X>(x, pin); });
        });
        return where;
      }
    } else {
      if constexpr (takes_fused_form<E, Pin>)
        if (fused_form<E>::matches(n, !is_abstract<Node> || shapes_known_))
          return whole<typename fused_form<E>::type>(fused(n), pin);
      requested_device const requested = this->template requested_by_kernel<E>(n, pin);
      policy const p = policy_under<typename Pin::policies>(policy_);
      split_decision const v = decide<E>(requested, machine_, p);
      if constexpr (splits<E>) {
        if (v.split) return one_kernel<true, E>(n, pin, requested, v);
      }
      return one_kernel<false, E>(n, pin, requested, v);
    }
  }

 private:
  /// Calls f.template operator()<C>(operand) for each operand of a node.
  template <class E, class Node, class F> static constexpr void each_operand(Node const& n, F f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f.template operator()<operand_type<E, I>>(n.template arg<I>()), ...);
    }(std::make_index_sequence<E::arity>{});
  }

  /// Plans on(device, tensor): a copy, unless the tensor is on that device.
  template <class T, class Node, class Pin>
  constexpr device moved_tensor(Node const& t, Pin const& pin) {
    decision const d = place({pin.requested, Pin::requested_by, {true, true}}, machine_,
                             policy_under<typename Pin::policies>(policy_));
    plan_node n;
    n.op = "Copy";
    n.element = element_name<typename T::value_type>();
    n.device = d.device;
    n.why = d.why;
    n.fell_back = d.fell_back;
    n.refused = d.refused;
    n.requested = n.written = pin.requested;
    set_shape<T>(n, t);
    operand_copies in{d.device, {}, {}, machine_.tasks};
    whole_operands all;
    copy_operand<T>(t, pin, in, all);
    n.copies = in.copies;
    n.bytes = in.bytes;
    n.messages = in.messages;
    n.exact = in.exact;
    n.result_bytes = in.copies != 0 ? this->template bytes_of<T>(t) : 0;
    made.nodes[made.size++] = n;
    return d.device;
  }

  /// Plans an operand that is not part of the kernel, and counts its copy. `read`: the bytes that
  /// the kernel reads.
  template <class C, class Node, class Pin, class Read>
  constexpr void copy_operand(Node const& n, Pin const& pin, operand_copies& in, Read& read) {
    if constexpr (is_scalar<C>) {
      return;
    } else if constexpr (stored<C>) {
      if constexpr (is_abstract<Node>) in.from(this->template home_of<C>(), read_of<C>(n, read));
      else read.count_stored(n, in);
    } else if constexpr (is_list<C>) {
      if constexpr (!is_abstract<Node>)
        for (auto const& t : n.items) read.count_stored(t, in);
    } else {
      if constexpr (is_shared<C, Pin>) count_shared<C>(n, pin, in, read);
      else count_result<C>(n, whole<C>(n, pin), nullptr, in, read);
    }
  }
  /// Counts the result of a kernel, which other kernels may read, too.
  template <class C, class Node, class Pin, class Read>
  constexpr void count_shared(Node const& n, Pin const& pin, operand_copies& in, Read& read) {
    using P = typename Pin::pin;
    device_spec const requested = device_of_pin(pin);
    planned_kernel const* known = pin.known.template find<C, P>(n, requested);
    if (known == nullptr) known = &pin.known.template add<C, P>(n, requested, whole<C>(n, pin));
    count_result<C>(n, known->where, known, in, read);
  }
  /// Counts the result of a kernel on device d. shared: identifies one that is read several times.
  template <class C, class Node, class Read>
  constexpr void count_result(Node const& n, device d, planned_kernel const* shared,
                              operand_copies& in, Read& read) {
    if constexpr (is_abstract<Node>) {
      in.result(d, {0, read_of<C>(n, read)}, shared);
    } else {
      byte_range const part = read.next_of(this->template bytes_of<C>(n));
      if constexpr (stored<unplaced_t<C>> && !is_inline<unplaced_t<C>>) {
        operand_source const s = source_of(unplaced(n), in.op, in.line);
        if (s.elements != nullptr && s.elements->where() == d)  // on() leaves it in place
          return in.stored_elements(s, part);
      }
      in.result(d, part, shared);
    }
  }
  template <class C, class Node, class Read>
  constexpr std::size_t read_of(Node const& n, Read const& read) const {
    return read.of(this->template bytes_of<C>(n), sizeof(typename C::value_type));
  }

  /// Plans the operands of a fusion group in the order of evaluation. `producer`: the node whose
  /// epilogue is this group, or null.
  template <class R, bool Split, class E, class Node, class Pin, class Read>
  constexpr void copy_fusion_operands(Node const& n, void const* producer, Pin const& pin,
                                      operand_copies& in, Read& read) {
    if constexpr (has_pattern<typename E::op_type, fill>) read.skip();
    each_operand<E>(n, [&]<class C>(auto const& c) {
      auto&& below = read.template below<E>(n, shapes_known_);
      if constexpr (joins<C, nodes_of<R, Split>>)
        copy_fusion_operands<R, Split, C>(c, producer, pin, in, below);
      else if (static_cast<void const*>(&c) != producer) copy_operand<C>(c, pin, in, below);
      else below.skip();
    });
  }
  template <class E, class Node, class Pin, class Read>
  constexpr void copy_strided_operand(Node const& n, Pin const& pin, operand_copies& in,
                                      Read& read) {
    if constexpr (relayout<E> && is_viewable<E>) {
      auto&& below = read.template below<E>(n, shapes_known_);
      copy_strided_operand<operand_type<E, 0>>(n.template arg<0>(), pin, in, below);
    } else {
      copy_operand<E>(n, pin, in, read);
    }
  }
  template <bool Split, class E, class Node, class Pin>
  constexpr void copy_kernel_operands(Node const& n, void const* producer, Pin const& pin,
                                      operand_copies& in) {
    auto&& read = operands_read<E, Split>(n);
    if constexpr (reduce_node<E> || fusible_node<E>) {
      copy_fusion_operands<E, Split, E>(n, producer, pin, in, read);
    } else {
      each_operand<E>(n, [&]<class C>(auto const& c) {
        if constexpr (matmul_node<E>) copy_strided_operand<C>(c, pin, in, read);
        else copy_operand<C>(c, pin, in, read);
      });
    }
  }

  template <bool Split, class E, class Node, class Pin>
  constexpr device one_kernel(Node const& n, Pin const& pin, requested_device const& requested,
                              split_decision const& v) {
    decision const& d = v.decided;
    constexpr bool in_pin = requires { pin.requested; };  // an abstract on() may have no device
    bool const pinned = in_pin || is_pinned(requested.requested_by);
    operand_copies in{d.device, E::op_type::name, line_of<E>(n), machine_.tasks};
    if constexpr (is_sharing<Pin>) in.shared = &pin.known.copies;
    std::size_t const first_below = made.size;
    void const* producer = nullptr;
    if constexpr (has_epilogue_here<E, Split, Pin>) {
      auto const* const p = producer_of<E, Split, E>(n);
      if ((is_abstract<Node> && !shapes_known_) || p->shape() == n.shape()) producer = p;
      copy_kernel_operands<Split, E>(n, producer, pin, in);
      if (producer != nullptr)
        copy_kernel_operands<Split, bare<decltype(*std::declval<producer_type<E, Split>>())>>(
            *p, nullptr, pin, in);
    } else if constexpr (!Split && has_custom_epilogue_here<E, Pin>) {
      producer = this->template joined_custom<E>(n, d);
      copy_kernel_operands<Split, E>(n, producer, pin, in);
      if (producer != nullptr)
        copy_kernel_operands<Split, bare<decltype(*std::declval<custom_producer_type<E>>())>>(
            *custom_producer_of<E>(n), nullptr, pin, in);
    } else {
      copy_kernel_operands<Split, E>(n, nullptr, pin, in);
    }
    int const number = next_kernel(first_below);
    note_fusion<E, Split, E>(n, producer, true, pinned, requested, d, number, in);
    made.nodes[made.size - 1].source = v.source;
    return d.device;
  }

  /// The node of the custom op whose epilogue n is; nullptr if n is a kernel of its own.
  template <class E, class Node>
  constexpr void const* joined_custom(Node const& n, decision const& d) const {
    if (machine_.tasks > 1) return nullptr;
    if constexpr (!is_abstract<Node>) {
      return custom_producer_in(n, d);
    } else {
      using C = bare<decltype(*std::declval<custom_producer_type<E>>())>;
      auto const* const node = custom_producer_of<E>(n);
      bool const is_one =
          keeps_to_cpu(d) &&
          this->template written_for<C>(*node) == this->template written_for<E>(n) &&
          (!shapes_known_ || node->shape() == n.shape());
      return is_one ? node : nullptr;
    }
  }
  /// The number of a kernel after its operands' kernels are planned. Their results go into it.
  constexpr int next_kernel(std::size_t first_below) {
    for (std::size_t i = first_below; i != made.size; ++i) {
      plan_node& n = made.nodes[i];
      if ((n.root || n.kernel < 0) && n.into < 0) n.into = made.kernels;
    }
    return made.kernels++;
  }

  /// Records the ops of a kernel in the order of visit_node().
  template <class R, bool Split, class E, class Node>
  constexpr void note_fusion(Node const& x, void const* producer, bool is_root, bool pinned,
                             requested_device const& requested, decision const& d, int kernel,
                             operand_copies const& in) {
    if constexpr (is_expr<E>) {
      each_operand<E>(x, [&]<class C>(auto const& c) {
        if constexpr (matmul_node<E>) {
          if constexpr (relayout<C> && is_viewable<C>)
            note_fusion<C, false, C>(c, producer, false, pinned, requested, d, kernel, in);
        } else if constexpr (!custom_node<E> && joins<C, nodes_of<R, Split>>) {
          note_fusion<R, Split, C>(c, producer, false, pinned, requested, d, kernel, in);
        } else if constexpr (matmul_node<C> || reduce_node<C> || custom_producer<C>) {
          if (static_cast<void const*>(&c) ==
              producer)  // the first operand may have the same address
            note_fusion<C, Split, C>(c, nullptr, false, pinned, requested, d, kernel, in);
        }
      });
      plan_node n;
      n.op = E::op_type::name;
      if constexpr (!is_abstract<Node>) set_labels(n, x.from.name, x.from.gradient_of);
      n.element = element_name<element_of<E>>();
      n.device = d.device;
      n.why = d.why;
      n.fell_back = d.fell_back;
      n.requested = requested.requested;
      n.written = this->template written_for<E>(x);
      n.moved = !is_root && !pinned && !(n.written == n.requested);
      n.refused = d.refused || (n.moved && n.written.has_value() && !policy_.soft);
      n.kernel = kernel;
      n.root = is_root;
      set_shape<E>(n, x);
      if (is_root) {
        n.copies = in.copies;
        n.bytes = in.bytes;
        n.messages = in.messages;
        n.exact = in.exact;
        n.result_bytes = this->template bytes_of<E>(x);
      }
      made.nodes[made.size++] = n;
    }
  }
  template <class E, class Node> static constexpr site line_of(Node const& x) {
    if constexpr (!is_abstract<Node>) return x.from.where;
    else return {};
  }
  template <class E, class Node> constexpr void set_shape(plan_node& n, Node const& x) const {
    using S = typename E::extents_type;
    n.rank = S::rank;
    for (std::size_t i = 0; i != S::rank; ++i)
      n.extent[i] = is_abstract<Node> && !shapes_known_ ? S::static_extent(i) : x.shape().at(i);
  }
};

}}}  // namespace placement::v0_1::detail
