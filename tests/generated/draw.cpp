// The random choices for generated expressions, and the checks of their results.
#include <generated/draw.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <sstream>

using namespace placement;
using interpreter::value;

namespace generated {

namespace {

/// An element as the interpreter represents it.
template <class T> value value_of(T x) {
  value v;
  if constexpr (std::is_floating_point_v<T>) v.v = static_cast<double>(x);
  else v.i = static_cast<std::int64_t>(x);
  return v;
}
template <class T> T element_of(value const& v) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(v.v);
  else return static_cast<T>(v.i);
}

template <class T> T any_element(dice& d, int style) {
  if constexpr (std::is_same_v<T, bool>) {
    return d.one_in(2);
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr T special[] = {std::numeric_limits<T>::quiet_NaN(),
                             std::numeric_limits<T>::infinity(),
                             -std::numeric_limits<T>::infinity(),
                             T{0},
                             -T{0},
                             static_cast<T>(1e30),
                             static_cast<T>(-1e-40)};
    if (style == 0 && d.one_in(4)) return d.pick(special);
    return static_cast<T>(d.between(-12, 12)) / T{4};
  } else {
    if (style <= 1) return static_cast<T>(d.next() >> 13);
    return static_cast<T>(d.between(std::is_signed_v<T> ? -5 : 0, 9));
  }
}

/// Calls f with a value of the element type for this letter.
template <class F> void with_type(char type, F f) {
  switch (type) {
    case 'b': return f(bool{});
    case 'c': return f(static_cast<signed char>(0));
    case 'h': return f(static_cast<unsigned char>(0));
    case 'i': return f(int{});
    case 'u': return f(unsigned{});
    case 'l': return f(std::int64_t{});
    case 'f': return f(float{});
    default: return f(double{});
  }
}

/// The same for the name of a type, as the log prints it.
template <class F> void with_letter(std::string_view name, F f) {
  constexpr std::string_view names[] = {"bool",   "int8",  "uint8", "int32",
                                        "uint32", "int64", "float", "double"};
  for (std::size_t i = 0; i != 8; ++i)
    if (names[i] == name) with_type("bchiulfd"[i], f);
}

std::vector<value> any_elements(dice& d, char type, std::size_t n) {
  std::vector<value> all;
  int const style = d.below(12);
  with_type(type, [&]<class T>(T) {
    for (std::size_t i = 0; i != n; ++i) all.push_back(value_of(any_element<T>(d, style)));
  });
  return all;
}

template <class Shape> std::string text_of(Shape const& s) {
  std::string text = "[";
  for (std::size_t d = 0; d != s.size(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(s[d]);
  return text + "]";
}

template <std::size_t R> interpreter::shape shape_of(dextents<R> const& x) {
  interpreter::shape s;
  for (std::size_t d = 0; d != R; ++d) s.push_back(x.at(d));
  return s;
}
template <std::size_t R> dextents<R> extents_of(interpreter::shape const& s) {
  dextents<R> x{};
  for (std::size_t d = 0; d != R; ++d) {
    if constexpr (R > 0) x.n[d] = s[d];
  }
  return x;
}

index_t number_in(interpreter::shape const& s, interpreter::shape const& c) {
  index_t e = 0;
  for (std::size_t d = 0; d != s.size(); ++d) e = e * s[d] + c[d];
  return e;
}
interpreter::shape coordinates_in(interpreter::shape const& s, index_t e) {
  interpreter::shape c(s.size());
  for (std::size_t d = s.size(); d-- > 0;) {
    c[d] = e % s[d];
    e /= s[d];
  }
  return c;
}

device device_named(std::string const& name) {
  return device_spec::of(parse_name(name)).local_device();
}

/// Captures the log lines.
void take_line(std::string_view line, void* lines) {
  static_cast<std::vector<std::string>*>(lines)->emplace_back(line);
}

}  // namespace

// ---- random choices

draw::draw(expression const& e, int number)
    : e_(e),
      number_(number),
      dice_(static_cast<std::uint64_t>(e.number) * 1000003u + static_cast<std::uint64_t>(number)),
      nodes_(interpreter::parse(e.program)),
      gpus_(device_count(kind::gpu)) {
  for (std::string const& t : interpreter::split(e.targets, ' ')) targets_.push_back(std::stoi(t));
  int tries = 0;
  do draw_extents();
  while (++tries != 200 && !sizes_are_fair());
  draw_devices();
  draw_leaves();
  draw_assignment();
}

void draw::draw_extents() {
  drawn_symbols drawn = draw_symbols(e_.symbols, dice_);
  extents_ = std::move(drawn.extents);
  positions_ = std::move(drawn.positions);
  ranges_ = std::move(drawn.ranges);
}

/// Whether the sizes suit an interpreter that computes some elements from all others.
bool draw::sizes_are_fair() const {
  double work = 0;
  for (interpreter::node const& n : nodes_) {
    double elements = 1, max = 1;
    for (int e : n.extents) {
      auto const k = static_cast<double>(extents_[static_cast<std::size_t>(e)]);
      elements *= k;
      max = std::max(max, k);
    }
    work += n.op == "sort"                          ? elements * max * max
            : n.op == "softmax" || n.op == "cumsum" ? elements * max
                                                    : elements;
    if (n.op == "matmul")
      work +=
          elements * static_cast<double>(
                         extents_[static_cast<std::size_t>(nodes_[n.operands[0]].extents.back())]);
  }
  return work < 100'000;
}

void draw::draw_devices() {
  constexpr char const* names[] = {"/cpu:0", "/gpu:0", "/gpu:1", "/gpu:1", "", "/gpu:7"};
  for (int k = 0; k != e_.scopes; ++k)
    scopes_.emplace_back(k == 0 && dice_.one_in(2) ? "-" : dice_.pick(names));
  for (int k = 0; k != e_.pins; ++k) pins_.emplace_back(dice_.pick(names));
  for (std::string const& tag : interpreter::split(e_.tags, ' ')) {
    std::size_t const equals = tag.find('=');
    auto const k = static_cast<std::size_t>(std::stoi(tag.substr(1, equals - 1)));
    (tag[0] == 's' ? scopes_ : pins_)[k] = tag.substr(equals + 1);
  }
}

void draw::draw_leaves() {
  for (interpreter::node const& n : nodes_) {
    if (n.op != "leaf") continue;
    auto const k = static_cast<std::size_t>(std::stoi(n.arguments[0]));
    if (leaves_.size() <= k) leaves_.resize(k + 1);
    drawn_leaf& l = leaves_[k];
    if (l.type != 0) continue;
    l.type = n.type;
    for (int e : n.extents) l.shape.push_back(extents_[static_cast<std::size_t>(e)]);
  }
  for (drawn_leaf& l : leaves_) {
    l.elements = any_elements(dice_, l.type, static_cast<std::size_t>(interpreter::count(l.shape)));
    with_type(l.type, [&]<class T>(T) {
      l.bytes.resize(l.elements.size() * sizeof(T));
      for (std::size_t i = 0; i != l.elements.size(); ++i) {
        T const x = element_of<T>(l.elements[i]);
        std::memcpy(l.bytes.data() + i * sizeof(T), &x, sizeof(T));
      }
    });
    int const where = dice_.below(1 + std::min(gpus_, 2));
    l.device = where == 0 ? "/cpu:0" : "/gpu:" + std::to_string(where - 1);
    l.borrowed = where == 0 && dice_.one_in(4);
    l.shared = !l.borrowed && dice_.one_in(6);
    l.without_elements =
        !l.borrowed && !l.shape.empty() && dice_.one_in(2) &&
        std::count(l.shape.begin(), l.shape.end(), 0) == static_cast<index_t>(l.shape.size());
    if (l.without_elements) l.device = "/cpu:0", l.shared = false;
  }
}

void draw::draw_assignment() {
  interpreter::shape const result = result_shape();
  to_ =
      targets_.empty() || dice_.one_in(3) ? 0 : dice_.between(1, static_cast<int>(targets_.size()));
  drawn_leaf const* leaf = target_leaf();
  if (leaf != nullptr && leaf->borrowed && leaf->shape != result) {
    to_ = 0;  // a borrowed tensor keeps its shape
    leaf = nullptr;
  }
  constexpr form forms[] = {form::fresh, form::rvalue,   form::rvalue, form::lvalue,
                            form::view,  form::reversed, form::part};
  form_ = dice_.pick(forms);
  if (result.empty() && (form_ == form::part || form_ == form::reversed)) form_ = form::rvalue;
  if (leaf != nullptr && form_ == form::part) form_ = form::reversed;
  if (leaf != nullptr && leaf->shape != result && form_ != form::fresh && form_ != form::lvalue)
    form_ = form::rvalue;

  // Dimension d of the view is dimension order_[d] of the target.
  for (std::size_t d = 0; d != result.size(); ++d) order_.push_back(static_cast<int>(d));
  bool const permutes = form_ == form::part || (form_ == form::reversed && leaf == nullptr);
  for (std::size_t d = result.size(); permutes && d > 1; --d)
    std::swap(order_[d - 1], order_[static_cast<std::size_t>(dice_.below(static_cast<int>(d)))]);

  target_shape_ = result;
  for (std::size_t d = 0; d != result.size(); ++d) {
    auto const t = static_cast<std::size_t>(order_[d]);
    target_shape_[t] = result[d];
    range r;
    interpreter::positions p;
    if (form_ == form::part) {
      index_t n = 0;
      std::tie(p, n) = any_positions(dice_, result[d]);
      target_shape_[t] = n;
      r = written(dice_, p, result[d], n);
    } else if (form_ == form::reversed && dice_.one_in(2)) {
      p = {result[d] - 1, -1};
      r = range{.step = -1};
    } else if (form_ == form::view && leaf == nullptr && result[d] == 1) {
      target_shape_[t] = dice_.below(4);  // the value is broadcast
    }
    part_.push_back(r);
    part_positions_.push_back(p);
  }
  if (!writes_through() && dice_.one_in(2))  // the previous shape does not matter
    for (index_t& n : target_shape_) n = dice_.below(3);
  int const where = dice_.below(1 + std::min(gpus_, 2));
  target_device_ = where == 0 ? "/cpu:0" : "/gpu:" + std::to_string(where - 1);
  target_elements_ = any_elements(dice_, nodes_.back().type,
                                  static_cast<std::size_t>(interpreter::count(target_shape_)));
  target_shared_ = dice_.one_in(6);
  logs_ = dice_.one_in(2);
  rule_ = dice_.one_in(6) ? rule::hard : dice_.one_in(6) ? rule::no_copies : rule::soft;
}

bool draw::assigns_twice() const {
  if (logs_ || rule_ != rule::soft) return false;
  if (to_ == 0) return true;
  std::string const name =
      "view(x" + std::to_string(targets_[static_cast<std::size_t>(to_ - 1)]) + ')';
  return !target_leaf()->borrowed && std::string_view(e_.cpp).find(name) ==
                                         // a second assignment would read the first one's result
                                         std::string_view::npos;
}

// ---- calls from generated code

template <class T, std::size_t R> tensor<T, dextents<R>> draw::operand(int k) {
  drawn_leaf& l = leaves_[static_cast<std::size_t>(k)];
  T* const data = reinterpret_cast<T*>(l.bytes.data());
  if (l.borrowed) return borrow(data, extents_of<R>(l.shape));
  if constexpr (R > 0) {
    if (l.without_elements) return {};
  }
  tensor<T, dextents<R>> x = copy_to(std::string_view(l.device),
                                     from(static_cast<T const*>(data), extents_of<R>(l.shape)));
  if (l.shared) hold([this, k, x] { check_leaf<T, R>(-1 - k, x); });
  return x;
}

template <class T, std::size_t R> tensor<T, dextents<R>> draw::old_target() {
  std::vector<std::byte> bytes(target_elements_.size() * sizeof(T));
  for (std::size_t i = 0; i != target_elements_.size(); ++i) {
    T const x = element_of<T>(target_elements_[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &x, sizeof(T));
  }
  tensor<T, dextents<R>> const t =
      copy_to(std::string_view(target_device_),
              from(reinterpret_cast<T const*>(bytes.data()), extents_of<R>(target_shape_)));
  if (target_shared_)
    hold([this, t, bytes] {
      if (!bytes.empty() && std::memcmp(t.read().data(), bytes.data(), bytes.size()) != 0)
        wrong("who shared the target's elements sees them change");
    });
  return t;
}

void draw::begin() {
  if (scopes_[0] != "-") outer_.emplace(request_for(scopes_[0]));
  if (logs_) {
    set_log_sink(&take_line, &lines_);
    set_log_level(log_level::all);
  }
  if (rule_ == rule::hard) set_soft_device_placement(false);
  if (rule_ == rule::no_copies) set_transfer_policy(transfers::refuse);
  copies_before_ = all_copies();
  if (logs_) fallbacks_before_ = fallback_count();
}

void draw::end() {
  end_scope();
  set_soft_device_placement(true);
  set_transfer_policy(transfers::silent);
  set_log_level(log_level::off);
  set_log_sink(nullptr);
}

drawn_leaf const* draw::target_leaf() const {
  return to_ == 0 ? nullptr
                  : &leaves_[static_cast<std::size_t>(targets_[static_cast<std::size_t>(to_ - 1)])];
}

// ---- checks

void draw::wrong(std::string what) {
  if (wrong_.empty()) wrong_ = std::move(what);
}

std::string draw::spec_of(interpreter::node const& n) const {
  if (n.pin >= 0) return pins_[static_cast<std::size_t>(n.pin)];
  return scopes_[static_cast<std::size_t>(n.scope)] == "-"
             ? std::string()
             : scopes_[static_cast<std::size_t>(n.scope)];
}

/// The device of a kernel whose outermost op is this node.
device draw::device_of(interpreter::node const& n) const {
  std::string const requested = spec_of(n);
  if (requested == "/cpu:0" || gpus_ == 0 || !n.has_gpu) return cpu0;
  if (requested.empty()) return gpu0;
  device const d = device_named(requested);
  return d.index < gpus_ ? d : gpu0;
}

void draw::check_element(char type, std::size_t at, value const& want, double v, std::int64_t i) {
  if (!want.sure) {
    ++unsure_;
    return;
  }
  ++compared_;
  bool const good = !interpreter::is_floating(type) ? want.i == i
                    : std::isnan(want.v)            ? std::isnan(v)
                                         : v == want.v || std::fabs(v - want.v) <= want.error;
  if (good) return;
  std::ostringstream text;
  text.precision(17);
  text << "element " << at << ": ";
  if (interpreter::is_floating(type))
    text << v << ", not " << want.v << " to within " << want.error;
  else text << i << ", not " << want.i;
  wrong(text.str());
}

template <class T, std::size_t R> void draw::check_result(tensor<T, dextents<R>> const& result) {
  checked_ = true;
  check_error_message();
  if (logs_ && refused_.empty()) check_log();

  std::size_t root = nodes_.size() - 1;
  while (nodes_[root].op == "on") root = nodes_[root].operands[0];
  bool const through = writes_through();
  drawn_leaf const* const leaf = target_leaf();
  std::string const& had = leaf == nullptr ? target_device_ : leaf->device;
  bool const stays = through || (leaf != nullptr && leaf->borrowed);
  device const where = stays || !refused_.empty() ? device_named(had) : device_of(nodes_[root]);
  if (result.where() != where)
    wrong("it is on " + to_string(result.where()) + ", not on " + to_string(where));
  std::string const requested = spec_of(nodes_[root]);
  if (!stays && refused_.empty() && nodes_[root].op != "leaf" &&
      to_string(result.requested()) != to_string(device_spec::of(parse_name(requested))))
    wrong("it says that it was asked for '" + to_string(result.requested()) + "', not '" +
          spec_of(nodes_[root]) + "'");

  std::vector<std::vector<value>> leaves;
  for (drawn_leaf const& l : leaves_) leaves.push_back(l.elements);
  interpreter::program program(nodes_, extents_, positions_, leaves);
  interpreter::shape const given = program.result_shape();
  interpreter::shape const& old_shape = leaf == nullptr ? target_shape_ : leaf->shape;
  interpreter::shape const shape = through || !refused_.empty() ? old_shape : given;
  if (shape_of<R>(result.shape()) != shape) {
    wrong("its shape is " + to_string(result.shape()) + ", not " + text_of(shape));
    return;
  }

  // The element of the value at each position of the result. -1 if an assignment through a view
  // leaves the old element.
  std::vector<index_t> source(static_cast<std::size_t>(interpreter::count(shape)), -1);
  if (!refused_.empty()) {
    // unchanged
  } else if (form_ == form::view) {
    for (index_t e = 0; e != interpreter::count(shape); ++e) {
      interpreter::shape c = coordinates_in(shape, e);
      for (std::size_t d = 0; d != R; ++d)
        if (given[d] == 1) c[d] = 0;
      source[static_cast<std::size_t>(e)] = number_in(given, c);
    }
  } else {
    for (index_t e = 0; e != interpreter::count(given); ++e) {
      interpreter::shape c = coordinates_in(given, e);
      if (through) {
        interpreter::shape const v = c;
        for (std::size_t d = 0; d != R; ++d)
          c[static_cast<std::size_t>(order_[d])] =
              part_positions_[d].start + v[d] * part_positions_[d].step;
      }
      source[static_cast<std::size_t>(number_in(shape, c))] = e;
    }
  }
  auto const host = result.read();
  for (std::size_t i = 0; i != source.size() && wrong_.empty(); ++i) {
    value const got = value_of(host[i]);
    std::vector<value> const& old = leaf == nullptr ? target_elements_ : leaf->elements;
    check_element(nodes_.back().type, i, source[i] < 0 ? old[i] : program.result(source[i]), got.v,
                  got.i);
  }
  if (refused_.empty() && must_be_in_place() && !in_place_) wrong("it was not computed in place");
}

/// Checks that an error occurs exactly if the settings require one.
void draw::check_error_message() {
  bool refuse = false;
  for (plan_node const& n : plan_) {
    if (rule_ == rule::hard) refuse = refuse || n.refused;
    if (rule_ == rule::no_copies) refuse = refuse || (n.copies != 0 && n.kernel >= 0);
  }
  if (rule_ == rule::no_copies && writes_through()) {  // the value is an operand of the assignment
    device const from = plan_.empty() ? device_named(target_device_) : plan_.back().device;
    std::string const& to = target_leaf() == nullptr ? target_device_ : target_leaf()->device;
    bool const nothing = interpreter::count(result_shape()) == 0;
    refuse = refuse || (!nothing && from != device_named(to));
  }
  if (refuse && refused_.empty()) wrong("it was not refused");
  if (!refuse && !refused_.empty()) wrong("it was refused: " + refused_);
}

/// Whether the result must be written in place. True for one element-wise kernel and an unshared
/// target of the result's size on its device.
bool draw::must_be_in_place() const {
  if (form_ != form::rvalue) return false;
  for (interpreter::node const& n : nodes_) {
    for (std::string_view other :
         {"matmul",  "softmax",     "sort",         "cumsum", "concat",  "sum",     "mean",
          "prod",    "max",         "min",          "argmax", "any",     "all",     "count_nonzero",
          "on",      "careful",     "values",       "slice",  "permute", "reverse", "diagonal",
          "squeeze", "expand_dims", "broadcast_to", "reshape"})
      if (n.op == other) return false;
    if (n.op.starts_with("host_")) return false;
  }
  drawn_leaf const* const leaf = target_leaf();
  if (leaf == nullptr)
    return !target_shared_ && target_shape_ == result_shape() &&
           device_named(target_device_) == device_of(nodes_.back());
  return !leaf->shared && !leaf->without_elements && leaf->shape == result_shape() &&
         device_named(leaf->device) == device_of(nodes_.back());
}

interpreter::shape draw::result_shape() const {
  interpreter::shape s;
  for (int e : nodes_.back().extents) s.push_back(extents_[static_cast<std::size_t>(e)]);
  return s;
}

template <class T, std::size_t R> void draw::check_leaf(int k, tensor<T, dextents<R>> const& x) {
  if (to_ > 0 && targets_[static_cast<std::size_t>(to_ - 1)] == k) return;
  if (k < 0) k = -1 - k;  // another handle of the leaf, which never changes
  drawn_leaf const& l = leaves_[static_cast<std::size_t>(k)];
  std::string const name = "operand x" + std::to_string(k);
  if (x.where() != device_named(l.device)) wrong(name + " moved to " + to_string(x.where()));
  if (shape_of<R>(x.shape()) != l.shape) wrong(name + " has shape " + to_string(x.shape()));
  else if (!l.bytes.empty() && std::memcmp(x.read().data(), l.bytes.data(), l.bytes.size()) != 0)
    wrong(name + " was written to");
}

/// Checks the log: each op once, ops without a GPU kernel on a CPU, and each copy, as planned.
void draw::check_log() {
  copy_count const now = all_copies();
  std::size_t const fallbacks = fallback_count() - fallbacks_before_;
  std::size_t copies = now.copies - copies_before_.copies, bytes = now.bytes - copies_before_.bytes;
  // Constants are counted as copies to their device, but are no operands.
  for (plan_node const& n : plan_) {
    if (n.op != "Const" || n.device.is_cpu()) continue;
    --copies;
    with_letter(n.element,
                [&]<class T>(T) { bytes -= static_cast<std::size_t>(n.extent[0]) * sizeof(T); });
  }
  std::vector<std::string> names, ops;
  std::size_t logged_copies = 0, logged_bytes = 0;
  for (std::string const& line : lines_) {
    std::string_view rest = line;
    if (!rest.starts_with("placement: ")) wrong("the log says: " + line);
    rest.remove_prefix(11);
    if (rest.starts_with("fallback: ") || rest.find(" on the CPU, in memory of ") != rest.npos)
      continue;
    if (rest.starts_with("copy of ")) {
      ++logged_copies;
      logged_bytes += std::stoul(std::string(rest.substr(8)));
      continue;
    }
    names.emplace_back(rest.substr(0, rest.find('<')));
    ops.emplace_back(rest);
    if (names.back().starts_with("Host") && rest.find("] on /CPU:0") == rest.npos)
      wrong("the log says: " + line);
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (std::string const& n : names) text += (text.empty() ? "" : " ") + n;
  if (text != e_.names) wrong("the log names the ops " + text + ", not " + e_.names);
  if (copies != logged_copies || bytes != logged_bytes)
    wrong("the log tells of " + std::to_string(logged_copies) + " copies, " +
          std::to_string(logged_bytes) + " B; there were " + std::to_string(copies) + ", " +
          std::to_string(bytes) + " B");
  check_plan(ops, copies, bytes, fallbacks);
}

/// Checks that the plan and the log agree on each op, and on all kernels, copies and fallbacks.
void draw::check_plan(std::vector<std::string> const& ops, std::size_t copies, std::size_t bytes,
                      std::size_t fallbacks) {
  plan<64> made;
  for (plan_node const& n : plan_) made.nodes[made.size++] = n;
  std::string const table = to_string(made);
  std::vector<std::string> const rows = interpreter::split(table, '\n');
  if (rows.size() != plan_.size() + 1)
    wrong("the plan as text has another number of ops:\n" + table);

  std::size_t next = 0, fell_back = 0;
  int kernels = 0;
  for (std::size_t k = 0; k != plan_.size(); ++k) {
    plan_node const& n = plan_[k];
    interpreter::shape const shape(n.extent, n.extent + n.rank);
    std::string const what = std::string(n.op) + '<' + std::string(n.element) + '>';
    std::string const device = to_string(n.device);
    if (k + 1 < rows.size() && (!rows[k + 1].starts_with(what + ' ') ||
                                rows[k + 1].find(text_of(shape)) == std::string::npos ||
                                rows[k + 1].find(' ' + device + ' ') == std::string::npos))
      wrong("the plan as text does not say " + what + ' ' + text_of(shape) + " on " + device +
            ":\n" + table);
    fell_back += (n.root || n.kernel < 0) && n.fell_back;
    if (n.kernel < 0) continue;  // a copy
    kernels += n.root;
    std::string_view const line = next < ops.size() ? ops[next++] : std::string_view("nothing");
    bool same = line.starts_with(what + ' ' + text_of(shape) + " on " + device + ' ');
    same = same && n.root == (line.find(", fused into ") == line.npos);
    same = same && n.moved == (line.find(", written in ") != line.npos);
    std::string const moved = ", copied " + std::to_string(n.copies) +
                              (n.copies == 1 ? " operand, " : " operands, ") +
                              std::to_string(n.bytes) + " B";
    same = same &&
           (n.copies != 0 ? line.find(moved) != line.npos : line.find(", copied ") == line.npos);
    if (!same)
      wrong("the plan says " + what + ' ' + text_of(shape) + " on " + device + moved +
            (n.root ? "" : ", fused") + ", the log " + std::string(line));
  }
  if (kernels != kernels_)
    wrong("the plan has " + std::to_string(kernels) + " roots in " + std::to_string(kernels_) +
          " kernels");
  if (fell_back != fallbacks)
    wrong("the plan has " + std::to_string(fell_back) + " fallbacks, there were " +
          std::to_string(fallbacks));
  if (writes_through() || (target_leaf() != nullptr && target_leaf()->borrowed))
    return;  // the value is copied once more
  std::size_t planned = 0, planned_bytes = 0;
  for (plan_node const& n : plan_) planned += n.copies, planned_bytes += n.bytes;
  if (planned != copies || planned_bytes != bytes)
    wrong("the plan has " + std::to_string(planned) + " copies, " + std::to_string(planned_bytes) +
          " B; there were " + std::to_string(copies) + ", " + std::to_string(bytes) + " B");
}

memory_stats draw::memory(int gpu) const { return memory_stats_of(device{kind::gpu, gpu}); }

std::string draw::outcome() {
  std::vector<std::size_t> before;
  for (int g = 0; g != gpus_; ++g) before.push_back(memory(g).in_use);
  set_log_level(log_level::off);
  try {
    e_.run(*this);
  } catch (std::exception const& problem) { wrong(std::string("it threw: ") + problem.what()); }
  end();
  for (auto const& check_held : held_) check_held();
  held_.clear();
  if (!checked_) wrong("nothing was checked");
  for (int g = 0; g != gpus_; ++g)
    if (memory(g).in_use != before[static_cast<std::size_t>(g)])
      wrong("GPU:" + std::to_string(g) + " has " + std::to_string(memory(g).in_use) +
            " B in use, had " + std::to_string(before[static_cast<std::size_t>(g)]));
  return wrong_;
}

std::string draw::description() const {
  constexpr char const* forms[] = {"tensor t = e",
                                   "t = e",
                                   "auto e; t = e",
                                   "view(t) = e",
                                   "slice(permute(view(t))) = e",
                                   "slice(permute(view(t)), backwards) = e"};
  std::ostringstream text;
  text << "expression " << e_.number << ", draw " << number_
       << " (PLACEMENT_GENERATED_ONLY=" << e_.number << ':' << number_ << ")\n  " << e_.cpp
       << "\n  " << e_.program << "\n  symbols " << e_.symbols << " are " << text_of(extents_)
       << "\n";
  for (std::size_t k = 0; k != leaves_.size(); ++k) {
    text << "  x" << k << ": " << leaves_[k].type << ' ' << text_of(leaves_[k].shape) << " on "
         << leaves_[k].device << (leaves_[k].borrowed ? ", borrowed" : "")
         << (leaves_[k].without_elements ? ", without elements" : "")
         << (leaves_[k].shared ? ", shared" : "") << " {";
    for (std::size_t i = 0; i != std::min<std::size_t>(12, leaves_[k].elements.size()); ++i) {
      if (interpreter::is_floating(leaves_[k].type)) text << ' ' << leaves_[k].elements[i].v;
      else text << ' ' << leaves_[k].elements[i].i;
    }
    text << " }\n";
  }
  for (std::size_t k = 0; k != scopes_.size(); ++k)
    text << "  scope " << k << " '" << scopes_[k] << '\'';
  for (std::size_t k = 0; k != pins_.size(); ++k) text << "  on " << k << " '" << pins_[k] << '\'';
  text << "\n  " << forms[static_cast<int>(form_)] << ", to "
       << (to_ == 0 ? "a target of shape " + text_of(target_shape_) + " on " + target_device_
                    : "x" + std::to_string(targets_[static_cast<std::size_t>(to_ - 1)]))
       << (to_ == 0 && target_shared_ ? ", shared" : "")
       << (rule_ == rule::hard        ? ", hard"
           : rule_ == rule::no_copies ? ", no copies"
                                      : "")
       << (logs_ ? ", with log" : "");
  if (!order_.empty()) text << ", order " << text_of(order_);
  for (std::string const& line : lines_) text << "\n  | " << line;
  return text.str();
}

void check(std::span<expression const> all) {
  char const* const only = std::getenv("PLACEMENT_GENERATED_ONLY");
  char const* const draws_text = std::getenv("PLACEMENT_GENERATED_DRAWS");
  int const draws = draws_text != nullptr                         ? std::atoi(draws_text)
                    : std::getenv("PLACEMENT_NIGHTLY") != nullptr ? 50
                                                                  : 20;
  std::size_t compared = 0, unsure = 0;
  int failures = 0;
  for (expression const& e : all) {
    for (int n = 0; n != draws; ++n) {
      if (only != nullptr && std::to_string(e.number) + ':' + std::to_string(n) != only) continue;
      draw d(e, n);
      std::string const wrong = d.outcome();
      compared += d.compared();
      unsure += d.unsure();
      if (wrong.empty()) continue;
      UNSCOPED_INFO(wrong << "\n" << d.description());
      CHECK(wrong.empty());
      if (++failures == 10) FAIL("too many: the rest is not run");
      break;
    }
  }
  INFO(compared << " elements compared, " << unsure << " unsure");
  // Some draws are near a jump of rounding or a comparison. Four expressions are a small sample.
  CHECK((only != nullptr || compared > unsure));
}

// ---- instantiations for each element type and rank

#define PLACEMENT_GENERATED_RANK(T, R)                                   \
  template tensor<T, dextents<R>> draw::operand<T, R>(int);              \
  template tensor<T, dextents<R>> draw::old_target<T, R>();              \
  template void draw::check_result<T, R>(tensor<T, dextents<R>> const&); \
  template void draw::check_leaf<T, R>(int, tensor<T, dextents<R>> const&);
#define PLACEMENT_GENERATED_TYPE(T) \
  PLACEMENT_GENERATED_RANK(T, 0)    \
  PLACEMENT_GENERATED_RANK(T, 1)    \
  PLACEMENT_GENERATED_RANK(T, 2)    \
  PLACEMENT_GENERATED_RANK(T, 3)    \
  PLACEMENT_GENERATED_RANK(T, 4)    \
  PLACEMENT_GENERATED_RANK(T, 5)
PLACEMENT_GENERATED_TYPE(bool)
PLACEMENT_GENERATED_TYPE(signed char)
PLACEMENT_GENERATED_TYPE(unsigned char)
PLACEMENT_GENERATED_TYPE(int)
PLACEMENT_GENERATED_TYPE(unsigned)
PLACEMENT_GENERATED_TYPE(std::int64_t)
PLACEMENT_GENERATED_TYPE(float)
PLACEMENT_GENERATED_TYPE(double)

}  // namespace generated
