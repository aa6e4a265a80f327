#pragma once
/// The operands of instructions: names, literals and addresses become registers. Constants and
/// special registers are registers, too, and called functions are inlined.

#include "lanes.hpp"
#include "module.hpp"

#include <map>
#include <unordered_map>

namespace ptx {

/// A register: where its elements are, and their width. Width 0: a predicate.
struct register_place {
  u32 at;
  u8 width;
};

/// An instruction's text, divided into its parts.
struct statement {
  explicit statement(std::string_view s)
      : op(s.substr(0, s.find_first_of(" \t\r\n"))),
        args(split(s.substr(std::min(s.find_first_of(" \t\r\n"), s.size())))) {}

  std::string_view arg(std::size_t i) const {
    if (i >= args.size()) throw unknown_ptx("an instruction with so few operands");
    return args[i];
  }
  opcode op;
  std::vector<std::string_view> args;
};

class decoder {
 public:
  decoder(module& m, kernel& k) : m_(m), k_(k) {}

  // ---- registers

  u32 fresh(u8 width) {
    u32 const at = k_.register_bytes;
    k_.register_bytes += width == 0 ? 8 : width * lanes;
    k_.widths.resize(k_.register_bytes / 8);
    k_.widths[at / 8] = width;
    return at;
  }
  u32 constant_of(u64 value, u8 width) {
    if (width != 0 && width < 8) value &= (u64{1} << (8 * width)) - 1;
    auto const [it, made] = constants_.try_emplace({value, width}, 0);
    if (made) it->second = fresh(width), k_.constants.push_back({it->second, width, value});
    return it->second;
  }
  register_place register_of(std::string_view name) const {
    auto const it = registers_.find(std::string(name));
    if (it == registers_.end()) throw unknown_ptx("register " + std::string(name));
    return it->second;
  }
  bool is_register(std::string_view name) const { return registers_.contains(std::string(name)); }

  // ---- operands

  /// The register from which an operand of this type is read.
  u32 source(std::string_view arg, std::string_view type) {
    u8 const width = width_of(type);
    if (width == 0) return predicate(arg);
    if (is_register(arg)) {
      register_place const r = register_of(arg);
      return r.width == width ? r.at : cut(r, width);
    }
    if (arg.starts_with("%")) {
      register_place const r = special(arg);
      return r.width == width ? r.at : cut(r, width);
    }
    if (std::optional<u64> const value = literal(arg, type)) return constant_of(*value, width);
    return address_of(arg, width);
  }
  /// The register into which a result of this type goes. widen() behind the instruction brings it
  /// into the wider register that the text names.
  u32 target(std::string_view arg, std::string_view type) {
    u8 const width = width_of(type);
    if (arg == "_") return fresh(width);
    register_place const r = register_of(arg);
    if (r.width == width) return r.at;
    if (r.width < width) throw unknown_ptx("a result that is wider than its register");
    widenings_.push_back({fresh(width), r, width, type.starts_with("s")});
    return widenings_.back().narrow;
  }
  /// A predicate: a register, possibly negated, or a literal.
  u32 predicate(std::string_view arg) {
    if (arg.starts_with("!")) {
      u32 const from = predicate(trimmed(arg.substr(1))), at = fresh(0);
      instruction& i = emit();
      i.to[0] = at, i.from[0] = i.from[1] = from;
      i.work = logic<[](u32 x, u32) { return ~x; }>;
      return at;
    }
    if (is_register(arg)) {
      register_place const r = register_of(arg);
      if (r.width != 0) throw unknown_ptx("predicate " + std::string(arg));
      return r.at;
    }
    std::optional<u64> const value = literal(arg, "");
    if (!value) throw unknown_ptx("predicate " + std::string(arg));
    return constant_of(*value != 0 ? 1 : 0, 0);
  }
  struct memory_operand {
    u32 base;
    u8 width;
    s64 offset;
  };
  memory_operand memory(std::string_view arg) {
    if (!arg.starts_with("[")) throw unknown_ptx("address " + std::string(arg));
    auto const [name, offset] = with_offset(arg.substr(1, closing(arg, 0) - 1));
    if (is_register(name)) {
      register_place const r = register_of(name);
      return {r.at, r.width, offset};
    }
    if (std::optional<u64> const value = literal(name, ""))
      return {constant_of(*value, 8), 8, offset};
    return {address_of(name, 8), 8, offset};
  }
  /// "{%r1, %r2}", or one operand
  static std::vector<std::string_view> vector_of(std::string_view arg) {
    if (!arg.starts_with("{")) return {arg};
    return split(arg.substr(1, closing(arg, 0) - 1));
  }

  // ---- instructions

  instruction& emit(flow kind = flow::plain) {
    instruction i;
    i.kind = kind;
    i.guard = guard_;
    i.guard_negated = guard_negated_;
    i.line = static_cast<u32>(k_.lines.size() - 1);
    i.work = &nothing;
    k_.code.push_back(i);
    return k_.code.back();
  }
  /// An instruction with `count` sources and one result, all of one type.
  instruction& simple(statement const& s, std::string_view type, std::size_t count) {
    u32 from[4]{};
    for (std::size_t n = 0; n != count; ++n) from[n] = source(s.arg(n + 1), type);
    u32 const to = target(s.arg(0), type);
    instruction& i = emit();
    i.to[0] = to;
    std::copy(from, from + 4, i.from);
    return i;
  }
  /// Emits the moves into registers that are wider than results.
  void widen() {
    for (widening const& w : widenings_) {
      instruction& i = emit();
      i.copies(1).to[0] = w.wide.at, i.from[0] = w.narrow;
      with_width(w.wide.width, [&]<class D>(tag<D>) {
        with_width(w.width, [&]<class S>(tag<S>) {
          using from = std::make_signed_t<S>;
          i.work = w.sign ? unary<[](from x) { return static_cast<D>(x); }, D, from>
                          : unary<[](S x) { return static_cast<D>(x); }, D, S>;
        });
      });
    }
    widenings_.clear();
  }

  // ---- used by the parts of the decoder

  void statements(std::string_view body, u32 line);
  void entry(std::string const& name, function_text const& f);
  void jump(std::string_view label) {
    jumps_.push_back({k_.code.size(), scope_ + std::string(label)});
  }
  /// Ends the function whose text is decoded: a jump behind an inlined one.
  void leave() {
    if (return_label_.empty()) {
      emit(flow::exit);
      return;
    }
    jumps_.push_back({k_.code.size(), return_label_});
    emit(flow::branch);
  }
  void call(statement const& s);
  /// Calls a function of CUDA's library: `assert` and `printf`. Returns whether it is one.
  bool call_library(std::string_view name, std::vector<std::string_view> const& arguments);
  /// Jumps to the label of this number.
  void branch_by(u32 index, std::vector<std::string> const& labels);
  u32 carry() const { return k_.special.carry; }
  /// The labels of a table for `brx.idx`.
  std::vector<std::string> const& table(std::string_view name) {
    auto const it = tables_.find(scope_ + std::string(name));
    if (it == tables_.end()) throw unknown_ptx("table " + std::string(name));
    return it->second;
  }
  u32 local_address(u32 offset) {
    u32 const at = fresh(8);
    instruction& i = emit();
    i.to[0] = at, i.from[0] = k_.special.local_base, i.offset = offset;
    i.work = address_of_local;
    return at;
  }

 private:
  struct widening {
    u32 narrow;
    register_place wide;
    u8 width;
    bool sign;
  };
  static std::pair<std::string_view, s64> with_offset(std::string_view text) {
    std::size_t const sign = text.find_first_of("+-", 1);
    if (sign == text.npos) return {trimmed(text), 0};
    std::string number(trimmed(text.substr(sign + 1)));
    bool const minus = (text[sign] == '-') != (number[0] == '-');
    if (number[0] == '-') number.erase(0, 1);
    s64 const value = std::stoll(number, nullptr, 0);
    return {trimmed(text.substr(0, sign)), minus ? -value : value};
  }
  /// The low bytes of a wider register.
  u32 cut(register_place r, u8 width) {
    if (r.width < width) throw unknown_ptx("an operand that is wider than its register");
    u32 const at = fresh(width);
    instruction& i = emit();
    i.copies(1).to[0] = at, i.from[0] = r.at;
    with_width(width, [&]<class D>(tag<D>) {
      with_width(r.width, [&]<class S>(tag<S>) {
        i.work = unary<[](S x) { return static_cast<D>(x); }, D, S>;
      });
    });
    return at;
  }
  register_place special(std::string_view name);
  u32 address_of(std::string_view name, u8 width);

  void declare_registers(std::string_view text);
  void declare_variable(std::string_view text);
  void one_statement(std::string_view text, u32 line);
  std::string_view without_guard(std::string_view text);
  void instruction_of(statement& s);
  void label(std::string_view name, std::string_view rest);
  u32 shared_offset(variable const& v) {
    k_.shared_bytes = (k_.shared_bytes + v.align - 1) / v.align * v.align;
    u32 const at = k_.shared_bytes;
    k_.shared_bytes += v.bytes;
    return at;
  }
  u32 local_offset(variable const& v) {
    k_.local_bytes = (k_.local_bytes + v.align - 1) / v.align * v.align;
    u32 const at = k_.local_bytes;
    k_.local_bytes += v.bytes;
    return at;
  }

  module& m_;
  kernel& k_;
  std::unordered_map<std::string, register_place> registers_;
  std::unordered_map<std::string, u32> labels_, params_, shared_, locals_;
  std::unordered_map<std::string, std::vector<std::string>> tables_;
  std::map<std::pair<u64, u8>, u32> constants_;
  std::vector<std::size_t> dynamic_shared_;  ///< constants that are its offset
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  std::vector<widening> widenings_;
  std::string scope_, return_label_;  ///< of an inlined function
  u32 calls_ = 0;
  s32 guard_ = -1;
  bool guard_negated_ = false;
};

}  // namespace ptx
