// Decodes arithmetic and bits of integers: `add`, `mad`, `shl`, `bfe`, `prmt`, `lop3`, ...
#include "families.hpp"

namespace ptx {

namespace {

/// Sets the function of a name with one, two or three operands of type T.
template <class T> bool set_integer_function(instruction& i, std::string_view name, opcode& op) {
  using U = unsigned_of<T>;
  bool const low = op.take("lo"), high = op.take("hi");
  if (op.take("sat")) {
    if constexpr (std::is_same_v<T, s32>) {
      if (name == "add") i.work = binary<[](T x, T y) { return clamped(s64{x} + y); }, T, T>;
      else if (name == "sub") i.work = binary<[](T x, T y) { return clamped(s64{x} - y); }, T, T>;
      else return false;
      return true;
    }
    return false;
  }
  if (name == "add") i.work = binary<wrapped_sum<T>, T, T>;
  else if (name == "sub") i.work = binary<wrapped_difference<T>, T, T>;
  else if (name == "mul" && low) i.work = binary<wrapped_product<T>, T, T>;
  else if (name == "mul" && high) i.work = binary<high_of_product<T>, T, T>;
  else if (name == "mad" && low)
    i.work = ternary<[](T x, T y, T z) { return wrapped_sum(wrapped_product(x, y), z); }, T, T>;
  else if (name == "mad" && high)
    i.work = ternary<[](T x, T y, T z) { return wrapped_sum(high_of_product(x, y), z); }, T, T>;
  else if (name == "div") i.work = binary<quotient<T>, T, T>;
  else if (name == "rem") i.work = binary<remainder<T>, T, T>;
  else if (name == "min") i.work = binary<smaller<T>, T, T>;
  else if (name == "max") i.work = binary<larger<T>, T, T>;
  else if (name == "neg") i.work = unary<[](T x) { return wrapped_difference(T{0}, x); }, T, T>;
  else if (name == "abs")
    i.work = unary<[](T x) { return x < T{0} ? wrapped_difference(T{0}, x) : x; }, T, T>;
  else if (name == "sad")
    i.work = ternary<[](T x, T y, T z) {
      return wrapped_sum(z, x < y ? wrapped_difference(y, x) : wrapped_difference(x, y));
    },
                     T, T>;
  else if (name == "and") i.work = binary<[](T x, T y) { return static_cast<T>(x & y); }, T, T>;
  else if (name == "or") i.work = binary<[](T x, T y) { return static_cast<T>(x | y); }, T, T>;
  else if (name == "xor") i.work = binary<[](T x, T y) { return static_cast<T>(x ^ y); }, T, T>;
  else if (name == "not") i.work = unary<[](T x) { return static_cast<T>(~x); }, T, T>;
  else if (name == "cnot") i.work = unary<[](T x) { return static_cast<T>(x == 0); }, T, T>;
  else if (name == "brev") i.work = unary<bits_reversed<U>, U, U>;
  else return false;
  return true;
}
std::size_t integer_operands(std::string_view name) {
  for (char const* n : {"neg", "abs", "not", "cnot", "brev"})
    if (name == n) return 1;
  for (char const* n : {"add", "sub", "mul", "div", "rem", "min", "max", "and", "or", "xor"})
    if (name == n) return 2;
  return name == "mad" || name == "sad" ? 3 : 0;
}

/// `mul.wide` and `mad.wide`: a result of twice the width
void decode_wide(decoder& d, statement const& s, std::string_view type) {
  std::string const wide =
      type.substr(0, 1) == "s" ? (type == "s16" ? "s32" : "s64") : (type == "u16" ? "u32" : "u64");
  bool const add = s.op.name == "mad";
  u32 const x = d.source(s.arg(1), type), y = d.source(s.arg(2), type);
  u32 const z = add ? d.source(s.arg(3), wide) : x, to = d.target(s.arg(0), wide);
  instruction& i = d.emit();
  i.to[0] = to, i.from[0] = x, i.from[1] = y, i.from[2] = z;
  auto const set = [&]<class T, class W>(tag<T>, tag<W>) {
    if (add)
      i.work =
          ternary<[](T p, T q, W r) { return wrapped_sum(static_cast<W>(W{p} * W{q}), r); }, W, T>;
    else i.work = binary<[](T p, T q) { return static_cast<W>(W{p} * W{q}); }, W, T>;
  };
  if (type == "u16") set(tag<u16>{}, tag<u32>{});
  else if (type == "s16") set(tag<s16>{}, tag<s32>{});
  else if (type == "u32") set(tag<u32>{}, tag<u64>{});
  else if (type == "s32") set(tag<s32>{}, tag<s64>{});
  else throw unknown_ptx("a wide product of type ." + std::string(type));
}
/// `add.cc`, `addc`, `mad.lo.cc`, ...: sums with a carry
bool decode_carry(decoder& d, statement& s, std::string_view type) {
  std::string_view const name = s.op.name;
  bool const reads = name == "addc" || name == "subc" || name == "madc", writes = s.op.take("cc");
  if (!reads && !writes) return false;
  bool const high = s.op.take("hi");
  static_cast<void>(s.op.take("lo"));
  instruction& i = d.simple(s, type, name.starts_with("mad") ? 3 : 2);
  i.address = d.carry();
  i.mode = static_cast<u8>((reads ? reads_carry : 0) | (writes ? writes_carry : 0));
  auto const set = [&]<class T>(tag<T>) {
    using enum carried_operation;
    i.work = name.starts_with("add")   ? with_carry<T, add>
             : name.starts_with("sub") ? with_carry<T, sub>
             : !high                   ? with_carry<T, mad_low>
             : type.starts_with("s")   ? with_carry<T, mad_high_signed>
                                       : with_carry<T, mad_high>;
  };
  if (width_of(type) == 4) set(tag<u32>{});
  else if (width_of(type) == 8) set(tag<u64>{});
  else throw unknown_ptx("a carry of type ." + std::string(type));
  return true;
}

/// `bmsk`: `length` bits from `first` on.
u32 bit_mask(u32 first, u32 length) {
  u32 const end = std::min(u32{32}, std::min(u32{32}, first) + std::min(u32{32}, length));
  return shifted_left(~u32{0}, first) & ~shifted_left(~u32{0}, end);
}

/// Bits: operands of different types
bool decode_bits(decoder& d, statement& s, std::string_view type) {
  std::string_view const name = s.op.name;
  auto const with_types = [&](std::initializer_list<std::string_view> from,
                              std::string_view to) -> instruction& {
    u32 registers[4]{};
    std::size_t n = 0;
    for (std::string_view t : from) registers[n] = d.source(s.arg(n + 1), t), ++n;
    u32 const result = d.target(s.arg(0), to);
    instruction& i = d.emit();
    i.to[0] = result;
    std::copy(registers, registers + 4, i.from);
    return i;
  };
  if (name == "shl" || name == "shr") {
    instruction& i = with_types({type, "u32"}, type);
    with_integer(type, [&]<class T>(tag<T>) {
      i.work =
          name == "shl" ? binary<shifted_left<T>, T, T, u32> : binary<shifted_right<T>, T, T, u32>;
    });
  } else if (name == "shf") {
    bool const left = s.op.take("l"), clamp = s.op.take("clamp");
    if (!left && !s.op.take("r")) return false;
    static_cast<void>(s.op.take("wrap"));
    instruction& i = with_types({"b32", "b32", "u32"}, "b32");
    using t = u32;
    if (left && clamp) i.work = ternary<funnel_left, t, t>;
    else if (left) i.work = ternary<[](t x, t y, t n) { return funnel_left(x, y, n & 31); }, t, t>;
    else if (clamp)
      i.work = ternary<[](t x, t y, t n) { return funnel_right(x, y, std::min(n, 32u)); }, t, t>;
    else i.work = ternary<[](t x, t y, t n) { return funnel_right(x, y, n & 31); }, t, t>;
  } else if (name == "prmt") {
    instruction& i = with_types({"b32", "b32", "b32"}, "b32");
    i.work = ternary<permuted, u32, u32>;
  } else if (name == "lop3") {
    instruction& i = with_types({"b32", "b32", "b32", "b32"}, "b32");
    i.work = quaternary<logic_of_three, u32, u32>;
  } else if (name == "bfi") {
    instruction& i = with_types({type, type, "u32", "u32"}, type);
    with_integer(type, [&]<class T>(tag<T>) { i.work = quaternary<bits_inserted<T>, T, u32>; });
  } else if (name == "bfe") {
    instruction& i = with_types({type, "u32", "u32"}, type);
    with_integer(type,
                 [&]<class T>(tag<T>) { i.work = ternary<bits_extracted<T>, T, T, u32, u32>; });
  } else if (name == "bmsk") {
    bool const clamp = s.op.take("clamp");
    if (!clamp && !s.op.take("wrap")) return false;
    instruction& i = with_types({"u32", "u32"}, "b32");
    using t = u32;
    if (clamp) i.work = binary<bit_mask, t, t>;
    else i.work = binary<[](t first, t length) { return bit_mask(first & 31, length & 31); }, t, t>;
  } else if (name == "popc" || name == "clz") {
    instruction& i = with_types({type}, "u32");
    with_integer(type, [&]<class T>(tag<T>) {
      using U = unsigned_of<T>;
      i.work = name == "popc"
                   ? unary<[](U x) { return static_cast<u32>(std::popcount(x)); }, u32, U>
                   : unary<[](U x) { return static_cast<u32>(std::countl_zero(x)); }, u32, U>;
    });
  } else if (name == "bfind") {
    bool const shift = s.op.take("shiftamt");
    instruction& i = with_types({type}, "u32");
    with_integer(type, [&]<class T>(tag<T>) {
      i.work = shift ? unary<shift_of_highest_bit<T>, u32, T> : unary<highest_bit<T>, u32, T>;
    });
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool decode_integer(decoder& d, statement& s, std::string_view type) {
  std::string_view const name = s.op.name;
  if (is_float_type(type)) return false;
  bool known = true;
  if ((name == "mul" || name == "mad") && s.op.take("wide")) {
    decode_wide(d, s, type);
  } else if (!decode_carry(d, s, type) && !decode_bits(d, s, type)) {
    std::size_t const count = integer_operands(name);
    if (count == 0) return false;
    instruction& i = d.simple(s, type, count);
    with_integer(type, [&]<class T>(tag<T>) { known = set_integer_function<T>(i, name, s.op); });
  }
  d.widen();
  return known;
}

}  // namespace ptx
