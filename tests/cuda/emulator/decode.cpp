// Decodes a kernel: declarations, labels, branches, calls, and all other instructions by their
// families.

#include "families.hpp"

#include <memory>

namespace ptx {

namespace {

/// `bra`, `brx.idx`, `ret`, `exit`, `call`, `trap`, and what has no effect here
bool decode_flow(decoder& d, statement& s) {
  std::string_view const name = s.op.name;
  if (name == "bra" || name == "ret" || name == "call") static_cast<void>(s.op.take("uni"));
  if (name == "bra") {
    d.jump(s.arg(0));
    d.emit(flow::branch);
  } else if (name == "brx") {
    if (!s.op.take("idx")) return false;
    // a branch for each entry of the table: the index is compared with its number
    u32 const index = d.source(s.arg(0), "u32");
    d.branch_by(index, d.table(s.arg(1)));
  } else if (name == "ret") {
    d.leave();
  } else if (name == "exit") {
    d.emit(flow::exit);
  } else if (name == "call") {
    d.call(s);
  } else if (name == "trap" || name == "brkpt") {
    d.emit().work = trap;
  } else if (name == "nanosleep") {
    static_cast<void>(s.op.take("u32"));
  } else {
    return name == "pmevent";
  }
  return true;
}

}  // namespace

void decoder::instruction_of(statement& s) {
  bool known = decode_flow(*this, s) || decode_memory(*this, s) || decode_warp(*this, s) ||
               decode_move(*this, s);
  if (!known && !s.args.empty()) {
    std::string_view const type = s.op.take_type();
    known = decode_float(*this, s, type) || decode_integer(*this, s, type);
  }
  if (!known || !s.op.left().empty()) throw unknown_ptx("this instruction" + s.op.left());
}

void decoder::branch_by(u32 index, std::vector<std::string> const& labels) {
  for (std::size_t n = 0; n != labels.size(); ++n) {
    u32 const number = constant_of(n, 4), equal = fresh(0);
    instruction& i = emit();
    i.to[0] = equal, i.from[0] = index, i.from[1] = number;
    i.work = compare<[](u32 x, u32 y) { return x == y; }, u32>;
    jumps_.push_back({k_.code.size(), labels[n]});
    instruction& b = emit(flow::branch);
    b.guard = static_cast<s32>(equal), b.guard_negated = false;
  }
}

register_place decoder::special(std::string_view name) {
  special_registers const& s = k_.special;
  if (name == "%laneid") return {s.laneid, 4};
  if (name == "%warpid") return {s.warpid, 4};
  if (name == "%nwarpid") return {s.nwarpid, 4};
  struct group {
    char const* name;
    u32 const* at;
  };
  for (group const g :
       {group{"%tid.", s.tid}, {"%ntid.", s.ntid}, {"%ctaid.", s.ctaid}, {"%nctaid.", s.nctaid}})
    if (std::string_view const prefix = g.name; name.starts_with(prefix) &&
                                                name.size() == prefix.size() + 1 &&
                                                name.back() >= 'x' && name.back() <= 'z')
      return {g.at[name.back() - 'x'], 4};
  int n = 0;
  for (char const* mask :
       {"%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge"}) {
    if (name == mask) return {s.masks[n], 4};
    ++n;
  }
  bool const wide = name == "%clock64" || name == "%globaltimer";
  if (!wide && name != "%clock" && name != "%clock_hi")
    throw unknown_ptx("register " + std::string(name));
  u32 const at = fresh(wide ? 8 : 4);
  instruction& i = emit();
  i.to[0] = at;
  i.work = wide ? clock<u64> : clock<u32>;
  return {at, static_cast<u8>(wide ? 8 : 4)};
}

u32 decoder::address_of(std::string_view text, u8 width) {
  if (text.starts_with("generic(")) text = text.substr(8, text.size() - 9);
  auto const [view, offset] = with_offset(text);
  std::string const name(view);
  if (auto const it = locals_.find(name); it != locals_.end())
    return local_address(it->second + static_cast<u32>(offset));
  if (auto const it = params_.find(name); it != params_.end()) {
    u32 const at = fresh(8);
    instruction& i = emit();
    i.to[0] = at, i.offset = it->second + offset;
    i.work = address_of_param;
    return at;
  }
  if (variable const* const v = m_.shared(name); v != nullptr && !shared_.contains(name)) {
    if (v->dynamic) {
      u32 const at = fresh(width);
      k_.constants.push_back({at, width, static_cast<u64>(offset)});
      dynamic_shared_.push_back(k_.constants.size() - 1);
      return at;
    }
    shared_[name] = shared_offset(*v);
  }
  if (auto const it = shared_.find(name); it != shared_.end())
    return constant_of(it->second + static_cast<u64>(offset), width);
  if (std::vector<u64>* const data = m_.data(name))
    return constant_of(reinterpret_cast<u64>(data->data()) + static_cast<u64>(offset), 8);
  throw unknown_ptx("the name " + name);
}

/// ".reg .b32 %r<8>, %x"
void decoder::declare_registers(std::string_view text) {
  std::string_view const word = declaration_words(text).at(1), type = word.substr(1);
  u8 const width = width_of(type);
  std::string_view const names =
      text.substr(static_cast<std::size_t>(word.data() - text.data()) + word.size());
  for (std::string_view name : split(names)) {
    std::size_t const many = name.find('<');
    if (many == name.npos) {
      registers_[std::string(name)] = {fresh(width), width};
      continue;
    }
    int const count = std::stoi(std::string(name.substr(many + 1)));
    for (int n = 0; n != count; ++n)
      registers_[std::string(name.substr(0, many)) + std::to_string(n)] = {fresh(width), width};
  }
}
/// Variables in a body: shared, local, and the parameters of calls, which are local memory here
void decoder::declare_variable(std::string_view text) {
  variable const v = variable_of(text);
  if (text.starts_with(".shared")) shared_[v.name] = shared_offset(v);
  else locals_[v.name] = local_offset(v);
}

void decoder::one_statement(std::string_view text, u32 line) {
  try {
    if (text.starts_with(".reg")) return declare_registers(text);
    if (text.starts_with(".shared") || text.starts_with(".local") || text.starts_with(".param"))
      return declare_variable(text);
    if (text.starts_with(".")) return;  // .pragma, .loc
    k_.lines.push_back({line, in_one_line(text)});
    statement s(without_guard(text));
    instruction_of(s);
  } catch (std::exception const& error) {
    bool const ours = std::string_view(error.what()).find("in line ") != std::string_view::npos;
    if (ours) throw;
    throw unknown_ptx("PTX in line " + std::to_string(line) + ", \"" + std::string(text) +
                      "\": " + error.what());
  }
}
/// "@!%p1 bra END": keeps the guard, and returns what is behind it.
std::string_view decoder::without_guard(std::string_view text) {
  guard_ = -1;
  if (!text.starts_with("@")) return text;
  std::size_t const space = text.find_first_of(" \t\n");
  std::string_view p = text.substr(1, space - 1);
  bool const negated = p.starts_with("!");
  guard_ = static_cast<s32>(register_of(p.substr(negated ? 1 : 0)).at);
  guard_negated_ = negated;
  return trimmed(text.substr(space));
}

/// The statements of a body. Scopes in braces have names of their own in nvcc's output, so they
/// need no bookkeeping.
void decoder::statements(std::string_view body, u32 line) {
  std::size_t first = 0;
  int depth = 0;
  u32 line_of_first = line;
  for (std::size_t i = 0; i != body.size(); ++i) {
    char const c = body[i];
    if (c == '\n') ++line;
    std::string_view const text = trimmed(body.substr(first, i - first));
    if (text.empty() && (c == '{' || c == '}' || std::isspace(static_cast<unsigned char>(c)))) {
      first = i + 1;
      continue;
    }
    if (text.empty()) line_of_first = line;
    if (depth == 0 && c == ':' && text.find_first_of(" \t.") == text.npos) {
      label(text, body.substr(i + 1));
      first = i + 1;
    } else if (depth == 0 && c == ';') {
      if (!text.empty()) one_statement(text, line_of_first);
      first = i + 1;
    }
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
  }
}
/// A label of an instruction, or of a table: "$L: .branchtargets $A, $B;"
void decoder::label(std::string_view name, std::string_view rest) {
  std::string const full = scope_ + std::string(name);
  labels_[full] = static_cast<u32>(k_.code.size());
  rest = trimmed(rest.substr(0, rest.find(';')));
  constexpr std::string_view table = ".branchtargets";
  if (!rest.starts_with(table)) return;
  for (std::string_view target : split(rest.substr(table.size())))
    tables_[full].push_back(scope_ + std::string(target));
}

/// A called function is inlined, with registers of its own.
void decoder::call(statement const& s) {
  bool const returns = s.arg(0).starts_with("(");
  std::string const name(s.arg(returns ? 1 : 0));
  function_text const* const f = m_.function(name);
  auto const inside = [](std::string_view list) { return list.substr(1, list.size() - 2); };
  std::size_t const given = returns ? 2 : 1;
  std::string_view const arguments = s.args.size() > given ? inside(s.arg(given)) : "";
  if (guard_ >= 0) throw unknown_ptx("a call with a guard");
  if (f == nullptr && call_library(name, split(arguments))) return;
  if (f == nullptr) throw unknown_ptx("the function " + name);
  if (++calls_ > 1000) throw unknown_ptx("recursion, of " + name);
  auto const outer_registers = registers_;
  auto const outer_locals = locals_;
  auto const outer_scope = scope_, outer_return = return_label_;
  auto const bind = [&](std::string_view declarations, std::string_view names) {
    auto const to = split(declarations), from = split(names);
    for (std::size_t n = 0; n != std::min(to.size(), from.size()); ++n)
      locals_[variable_of(to[n]).name] = outer_locals.at(std::string(from[n]));
  };
  bind(f->results, returns ? inside(s.arg(0)) : "");
  bind(f->params, arguments);
  registers_.clear();
  scope_ = "#" + std::to_string(calls_) + ":";
  return_label_ = scope_ + "return";
  std::string const end = return_label_;
  statements(f->body, f->line);
  labels_[end] = static_cast<u32>(k_.code.size());
  registers_ = outer_registers;
  locals_ = outer_locals;
  scope_ = outer_scope, return_label_ = outer_return;
}

void decoder::entry(std::string const& name, function_text const& f) {
  k_.name = name;
  k_.lines.push_back({f.line, "the end of the kernel"});
  special_registers& s = k_.special;
  for (u32* at : {s.tid, s.ntid, s.ctaid, s.nctaid})
    for (int d = 0; d != 3; ++d) at[d] = fresh(4);
  for (u32* at : {&s.laneid, &s.warpid, &s.nwarpid}) *at = fresh(4);
  for (u32& at : s.masks) at = fresh(4);
  s.local_base = fresh(8);
  s.carry = fresh(0);
  for (std::string_view text : split(f.params)) {
    variable const v = variable_of(text);
    k_.param_bytes = (k_.param_bytes + v.align - 1) / v.align * v.align;
    params_[v.name] = k_.param_bytes;
    k_.params.push_back({k_.param_bytes, v.bytes});
    k_.param_bytes += v.bytes;
  }
  statements(f.body, f.line);
  guard_ = -1;
  emit(flow::exit);
  for (auto const& [at, to] : jumps_) {
    if (!labels_.contains(to)) throw unknown_ptx("label " + to);
    k_.code[at].target = labels_[to];
  }
  k_.shared_bytes = (k_.shared_bytes + 15) / 16 * 16;
  for (std::size_t n : dynamic_shared_) k_.constants[n].value += k_.shared_bytes;
}

namespace {

/// Compares the sizes of the argument on the host and of the parameter. A kernel of the library has
/// the former in the name of a register: docs/decisions/0033-parameters-of-kernels.md.
void check_argument(kernel const& k, std::string_view body) {
  constexpr std::string_view name = "host_argument_bytes_";
  std::size_t const at = body.find(name);
  if (at == body.npos) return;
  unsigned long const host = std::stoul(std::string(body.substr(at + name.size(), 10)));
  if (host != k.param_bytes)
    throw std::runtime_error("the parameter has " + std::to_string(k.param_bytes) +
                             " bytes, and the host passes " + std::to_string(host));
}

}  // namespace

kernel const& module::find(std::string const& kernel_name) {
  std::unique_ptr<kernel>& place = ready_[kernel_name];
  if (place) return *place;
  auto const it = entries_.find(kernel_name);
  if (it == entries_.end()) throw unknown_ptx("a kernel of the name " + kernel_name);
  auto made = std::make_unique<kernel>();
  decoder(*this, *made).entry(kernel_name, it->second);
  check_argument(*made, it->second.body);
  place = std::move(made);
  return *place;
}

}  // namespace ptx
