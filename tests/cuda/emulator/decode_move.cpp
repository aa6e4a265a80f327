// Decodes what moves, converts, compares and selects: `mov`, `cvt`, `cvta`, `setp`, `set`, `selp`.
#include "families.hpp"

#include <algorithm>

namespace ptx {

namespace {

/// A copy of a register of this width.
void set_copy(instruction& i, u8 width) {
  with_width(width, [&]<class T>(tag<T>) { i.work = unary<[](T x) { return x; }, T, T>; });
  i.copies(1);
}

/// `mov.b64 {%r1, %r2}, %rd1` and its inverse
void decode_vector_move(decoder& d, statement const& s, std::string_view type) {
  bool const apart = s.arg(0).starts_with("{");
  auto const parts = decoder::vector_of(s.arg(apart ? 0 : 1));
  auto const width = static_cast<u8>(width_of(type) / parts.size());
  std::string const part = "b" + std::to_string(width * 8);
  u32 registers[4]{};
  for (std::size_t n = 0; n != parts.size(); ++n)
    registers[n] = apart ? d.target(parts[n], part) : d.source(parts[n], part);
  u32 const whole = apart ? d.source(s.arg(1), type) : d.target(s.arg(0), type);
  instruction& i = d.emit();
  i.count = static_cast<u8>(parts.size()), i.width = width;
  std::copy(registers, registers + 4, apart ? i.to : i.from);
  (apart ? i.from : i.to)[0] = whole;
  i.work = apart ? unpack : pack;
  i.copies(apart ? u8{1} : i.count);
}
/// Predicates: `mov`, `not`, `and`, `or`, `xor`
bool decode_logic(decoder& d, statement const& s) {
  std::string_view const name = s.op.name;
  u32 const x = d.predicate(s.arg(1)), y = s.args.size() > 2 ? d.predicate(s.arg(2)) : x;
  u32 const to = d.register_of(s.arg(0)).at;
  instruction& i = d.emit();
  i.to[0] = to, i.from[0] = x, i.from[1] = y;
  if (name == "mov") i.work = logic<[](u32 p, u32) { return p; }>;
  else if (name == "not") i.work = logic<[](u32 p, u32) { return ~p; }>;
  else if (name == "and") i.work = logic<[](u32 p, u32 q) { return p & q; }>;
  else if (name == "or") i.work = logic<[](u32 p, u32 q) { return p | q; }>;
  else if (name == "xor") i.work = logic<[](u32 p, u32 q) { return p ^ q; }>;
  else return false;
  return true;
}

/// The conversion in one mode, if that mode means something for these types: modes of integers
/// round floats, modes of floats round what may be inexact.
template <class D, class S, rounding Mode> void set_conversion_in(instruction& i) {
  constexpr bool from_float = is_small_float<S> || std::is_floating_point_v<S>;
  constexpr bool to_small = is_small_float<D> && Mode <= rounding::rz;
  constexpr bool to_float = std::is_floating_point_v<D> || to_small;
  constexpr bool to_integer = Mode < rounding::rn;
  if constexpr (to_integer ? from_float : to_float && !std::is_same_v<D, S>)
    i.work = unary<converted<D, S, Mode>, D, S>;
  else throw unknown_ptx("a conversion of these types in this rounding mode");
}
template <class D, class S> void set_conversion(instruction& i, rounding mode) {
  using enum rounding;
  switch (mode) {
    case rni: return set_conversion_in<D, S, rni>(i);
    case rzi: return set_conversion_in<D, S, rzi>(i);
    case rmi: return set_conversion_in<D, S, rmi>(i);
    case rpi: return set_conversion_in<D, S, rpi>(i);
    case rz: return set_conversion_in<D, S, rz>(i);
    case rm: return set_conversion_in<D, S, rm>(i);
    case rp: return set_conversion_in<D, S, rp>(i);
    default: i.work = unary<converted<D, S, none>, D, S>;
  }
}
/// `cvt.sat`: integers are clamped to the result's range, floats to [0, 1]
template <class D, class S> D saturated_conversion(S x) {
  if constexpr (std::is_integral_v<D> && std::is_integral_v<S>) {
    s128 const least = std::numeric_limits<D>::min(), most = std::numeric_limits<D>::max();
    return static_cast<D>(std::clamp<s128>(x, least, most));
  } else if constexpr (std::is_integral_v<D>) {
    return to_integer<D>(x, rounding::rzi);
  } else {
    return saturated(static_cast<D>(x));
  }
}
/// `cvt.rn.f16x2.f32 d, high, low`
template <class H, rounding Mode> pair_of<H> pair_from(float high, float low) {
  return {converted<H, float, Mode>(low), converted<H, float, Mode>(high)};
}
template <class H> void set_pair(instruction& i, rounding mode) {
  if (mode == rounding::rn) i.work = binary<pair_from<H, rounding::rn>, pair_of<H>, float>;
  else i.work = binary<pair_from<H, rounding::rz>, pair_of<H>, float>;
}

/// A register of float with its subnormal numbers flushed.
u32 flushed_register(decoder& d, u32 from, u32 to) {
  instruction& i = d.emit();
  i.to[0] = to, i.from[0] = from;
  i.work = unary<[](float x) { return flushed(x); }, float, float>;
  return to;
}

void decode_conversion(decoder& d, statement& s) {
  std::string_view const from = s.op.take_type(), to = s.op.take_type();
  int const word = s.op.take_one_of({"rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp"});
  auto const mode = static_cast<rounding>(word + 1);
  bool const saturates = s.op.take("sat");
  if (to.ends_with("x2")) {
    u32 const high = d.source(s.arg(1), from), low = d.source(s.arg(2), from);
    u32 const at = d.target(s.arg(0), to);
    if (from != "f32" || (mode != rounding::rn && mode != rounding::rz))
      throw unknown_ptx("a conversion to pairs");
    instruction& i = d.emit();
    i.to[0] = at, i.from[0] = high, i.from[1] = low;
    to.starts_with("b") ? set_pair<brain>(i, mode) : set_pair<half>(i, mode);
    d.widen();
    return;
  }
  if (width_of(to) == 2 && is_float_type(to) && mode > rounding::rz)
    throw unknown_ptx("a rounding mode for 16 bits");
  bool const flush = s.op.take("ftz");
  u32 const source = d.source(s.arg(1), from), at = d.target(s.arg(0), to);
  u32 const x = flush && from == "f32" ? flushed_register(d, source, d.fresh(4)) : source;
  instruction& i = d.emit();
  i.to[0] = at, i.from[0] = x;
  with_type(to, [&]<class D>(tag<D>) {
    with_type(from, [&]<class S>(tag<S>) {
      constexpr bool numbers = std::is_arithmetic_v<D> && std::is_arithmetic_v<S>;
      constexpr bool pairs = sizeof(D) == sizeof(pair_of<half>) && std::is_class_v<D>;
      constexpr bool from_pairs = sizeof(S) == sizeof(pair_of<half>) && std::is_class_v<S>;
      if constexpr (pairs || from_pairs) throw unknown_ptx("a conversion of pairs");
      else if (!saturates) set_conversion<D, S>(i, mode);
      else if constexpr (numbers) i.work = unary<saturated_conversion<D, S>, D, S>;
      else throw unknown_ptx("a saturated conversion of 16 bits");
    });
  });
  if (flush && to == "f32") flushed_register(d, at, at);
  d.widen();
}
/// `cvta`: an address of a state space to a generic one, or back (`.to`)
void decode_address_conversion(decoder& d, statement& s) {
  std::string_view const type = s.op.take_type();
  bool const back = s.op.take("to");
  int const state_space = s.op.take_one_of({"global", "const", "param", "local", "shared"});
  if (width_of(type) != 8 || state_space < 0) throw unknown_ptx("cvta of this kind");
  instruction& i = d.simple(s, type, 1);
  if (state_space == 4) i.work = back ? to_shared : from_shared;
  else set_copy(i, 8);
}

template <class T> bool is_nan(T x, T y) { return x != x || y != y; }
template <class T> bool set_comparison(instruction& i, std::string_view c) {
  if (c == "eq") i.work = compare<[](T x, T y) { return x == y; }, T>;
  else if (c == "ne") i.work = compare<[](T x, T y) { return x != y && !is_nan(x, y); }, T>;
  else if (c == "lt" || c == "lo") i.work = compare<[](T x, T y) { return x < y; }, T>;
  else if (c == "le" || c == "ls") i.work = compare<[](T x, T y) { return x <= y; }, T>;
  else if (c == "gt" || c == "hi") i.work = compare<[](T x, T y) { return (x > y); }, T>;
  else if (c == "ge" || c == "hs") i.work = compare<[](T x, T y) { return x >= y; }, T>;
  else if (c == "equ") i.work = compare<[](T x, T y) { return x == y || is_nan(x, y); }, T>;
  else if (c == "neu") i.work = compare<[](T x, T y) { return x != y; }, T>;
  else if (c == "ltu") i.work = compare<[](T x, T y) { return !(x >= y); }, T>;
  else if (c == "leu") i.work = compare<[](T x, T y) { return !(x > y); }, T>;
  else if (c == "gtu") i.work = compare<[](T x, T y) { return !(x <= y); }, T>;
  else if (c == "geu") i.work = compare<[](T x, T y) { return !(x < y); }, T>;
  else if (c == "nan") i.work = compare<[](T x, T y) { return is_nan(x, y); }, T>;
  else if (c == "num") i.work = compare<[](T x, T y) { return !is_nan(x, y); }, T>;
  else return false;
  return true;
}
/// The register of an operand as a number: floats of 16 bits are converted first, and flushed ones.
u32 number_source(decoder& d, u32 from, std::string_view type, bool flush) {
  bool const is_half = type == "f16", small = is_half || type == "bf16";
  if (flush && type != "f32" && !small) throw unknown_ptx("a comparison with .ftz");
  if (!small && !flush) return from;
  u32 const at = d.fresh(4);
  instruction& i = d.emit();
  i.to[0] = at, i.from[0] = from;
  auto const set = [&]<class H>(tag<H>) {
    i.work = flush ? unary<[](H x) { return to_float(flushed(x)); }, float, H>
                   : unary<[](H x) { return to_float(x); }, float, H>;
  };
  if (is_half) set(tag<half>{});
  else if (small) set(tag<brain>{});
  else i.work = unary<[](float x) { return flushed(x); }, float, float>;
  return at;
}
/// The words and the predicate of `setp` and `set`.
struct comparison {
  std::string_view name;
  int how;  ///< it is combined with `other`; -1: not
  bool flush;
  u32 other;
};
comparison comparison_of(decoder& d, statement& s) {
  static constexpr std::string_view comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                                     "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                                     "ltu", "leu", "gtu", "geu", "nan", "num"};
  comparison c{};
  for (std::string_view word : comparisons)
    if (s.op.take(word)) c.name = word;
  c.how = s.op.take_one_of({"and", "or", "xor"});
  c.flush = s.op.take("ftz");
  c.other = c.how < 0 ? 0 : d.predicate(s.arg(3));
  return c;
}
/// Emits a comparison of two registers into one or two predicates.
void compare_registers(decoder& d, comparison const& c, std::string_view type, u32 const (&from)[2],
                       u32 first, u32 const* second) {
  u32 const x = number_source(d, from[0], type, c.flush);
  u32 const y = number_source(d, from[1], type, c.flush);
  instruction& i = d.emit();
  i.to[0] = first, i.from[0] = x, i.from[1] = y, i.from[2] = c.other;
  if (second != nullptr) i.to[1] = *second, i.count = 2;
  i.mode = static_cast<u8>(c.how + 1);
  bool const small = type == "f16" || type == "bf16";
  with_number(small ? "f32" : type, [&]<class T>(tag<T>) {
    if (!set_comparison<T>(i, c.name)) throw unknown_ptx("comparison ." + std::string(c.name));
  });
}
/// `setp.lt.and.f32 p|q, a, b, c`
void decode_setp(decoder& d, statement& s, std::string_view type) {
  auto const results = split(s.arg(0), '|');
  u32 const first = d.register_of(results[0]).at;
  u32 const second = results.size() == 2 ? d.register_of(results[1]).at : 0;
  comparison const c = comparison_of(d, s);
  u32 const from[2] = {d.source(s.arg(1), type), d.source(s.arg(2), type)};
  compare_registers(d, c, type, from, first, results.size() == 2 ? &second : nullptr);
}
/// The comparison of `set`, as a number in the register `at`.
void set_register(decoder& d, comparison const& c, std::string_view type, u32 const (&from)[2],
                  std::string_view to, u32 at) {
  u32 const bits = d.fresh(0);
  compare_registers(d, c, type, from, bits, nullptr);
  instruction& i = d.emit();
  i.to[0] = at, i.from[0] = bits;
  with_type(to, [&]<class D>(tag<D>) {
    if constexpr (std::is_arithmetic_v<D> || is_small_float<D>) i.work = from_predicate<D>;
    else throw unknown_ptx("set of two numbers of one");
  });
}
/// A register of two halves from or into two registers.
void move_halves(decoder& d, u32 whole, u32 const (&halves)[2], bool apart) {
  instruction& i = d.emit();
  i.count = 2, i.width = 2;
  std::copy(halves, halves + 2, apart ? i.to : i.from);
  (apart ? i.from : i.to)[0] = whole;
  i.work = apart ? unpack : pack;
  i.copies(apart ? u8{1} : u8{2});
}
/// `set.lt.f16x2.f16x2 d, a, b`, and `set.lt.u32.f16x2`, whose halves are all ones or 0
void set_pair_of(decoder& d, comparison const& c, std::string_view type, u32 const (&from)[2],
                 std::string_view to, u32 at) {
  bool const number = to.ends_with("x2");
  std::string_view const half_type = number ? to.substr(0, to.size() - 2) : "u16";
  u32 const x[2] = {d.fresh(2), d.fresh(2)}, y[2] = {d.fresh(2), d.fresh(2)};
  u32 const result[2] = {d.fresh(2), d.fresh(2)};
  move_halves(d, from[0], x, true);
  move_halves(d, from[1], y, true);
  for (int n : {0, 1}) {
    u32 const both[2] = {x[n], y[n]};
    set_register(d, c, type.substr(0, type.size() - 2), both, half_type, result[n]);
  }
  move_halves(d, at, result, false);
}
/// `set.lt.u32.f32 d, a, b`
void decode_set(decoder& d, statement& s, std::string_view type) {
  std::string_view const to = s.op.take_type();
  u32 const at = d.target(s.arg(0), to);
  comparison const c = comparison_of(d, s);
  u32 const from[2] = {d.source(s.arg(1), type), d.source(s.arg(2), type)};
  if (type.ends_with("x2")) set_pair_of(d, c, type, from, to, at);
  else set_register(d, c, type, from, to, at);
  d.widen();
}

}  // namespace

bool decode_move(decoder& d, statement& s) {
  std::string_view const name = s.op.name;
  if (name == "cvt") return decode_conversion(d, s), true;
  if (name == "cvta") return decode_address_conversion(d, s), true;
  if (name == "activemask") {
    std::string_view const type = s.op.take_type();
    u32 const at = d.target(s.arg(0), type);
    instruction& i = d.emit();
    i.to[0] = at, i.work = activemask;
    return true;
  }
  bool const is_logic =
      name == "mov" || name == "not" || name == "and" || name == "or" || name == "xor";
  if (!is_logic && name != "setp" && name != "set" && name != "selp") return false;
  opcode const untaken = s.op;
  std::string_view const type = s.op.take_type();
  if (name == "setp") return decode_setp(d, s, type), true;
  if (name == "set") return decode_set(d, s, type), true;
  if (name == "selp") {
    u32 const x = d.source(s.arg(1), type), y = d.source(s.arg(2), type);
    u32 const p = d.predicate(s.arg(3)), to = d.target(s.arg(0), type);
    instruction& i = d.emit();
    i.copies(2).to[0] = to, i.from[0] = x, i.from[1] = y, i.from[2] = p;
    with_width(width_of(type), [&]<class T>(tag<T>) { i.work = select<T>; });
    return d.widen(), true;
  }
  if (type == "pred") return decode_logic(d, s);
  if (name != "mov") return s.op = untaken, false;
  if (s.arg(0).starts_with("{") || s.arg(1).starts_with("{")) decode_vector_move(d, s, type);
  else set_copy(d.simple(s, type, 1), width_of(type));
  return d.widen(), true;
}

}  // namespace ptx
