// Checks that plans, explain() and evaluation agree.
#include <generated/planned.hpp>

#include <placement/place/log_words.hpp>

#include <cstdlib>
#include <sstream>
#include <utility>

using namespace placement;

namespace generated {

using rule = situation::rule;

namespace {

constexpr char const* rule_names[] = {
    "soft", "hard", "no_fallback", "warn of copies", "explicit transfers", "no copies", "one copy"};

template <std::size_t R> dextents<R> extents_of(std::vector<index_t> const& s) {
  dextents<R> x{};
  if constexpr (R > 0)
    for (std::size_t d = 0; d != R; ++d) x.n[d] = s[d];
  return x;
}

void take_line(std::string_view line, void* seen) {
  static_cast<observed*>(seen)->lines.emplace_back(line);
}

// ---- expected texts of logs, errors and explain(), computed from a plan

std::string typed_name(plan_node const& n) {
  return std::string(n.op) + '<' + std::string(n.element) + '>';
}
std::string shape_text(plan_node const& n) {
  std::string text = "[";
  for (std::size_t d = 0; d != n.rank; ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(n.extent[d]);
  return text + ']';
}
std::string device_text(device d) { return to_string(d) + (d.is_gpu() ? " (simulated)" : ""); }
std::string spec_text(device_spec w) { return w.has_value() ? to_string(w) : "no scope"; }

plan_node const& root_of(any_plan const& p, int kernel) {
  for (plan_node const& n : p.nodes)
    if (n.root && n.kernel == kernel) return n;
  throw std::logic_error("a kernel without a root");
}

/// The cells of the node's row in explain().
std::vector<std::string> cells(any_plan const& p, plan_node const& n) {
  std::string kernel = n.kernel < 0 ? "-" : std::to_string(n.kernel);
  if (n.kernel >= 0 && !n.root) kernel += ", in " + std::string(root_of(p, n.kernel).op);
  std::string why(to_string(n.why));
  if (n.fell_back && n.requested.has_value())
    why = "asked for " + to_string(n.requested) + ": " + why;
  if (n.refused) why += " (refused)";
  if (n.moved) why += "; written in " + spec_text(n.written);
  return {typed_name(n),
          shape_text(n),
          device_text(n.device),
          kernel,
          n.copies == 0 ? "-" : std::to_string(n.bytes) + " B",
          why};
}
/// The cells of a line. Two or more spaces separate them.
std::vector<std::string> cells_of_line(std::string_view line) {
  std::vector<std::string> all;
  while (!line.empty()) {
    std::size_t const end = std::min(line.find("  "), line.size());
    all.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  }
  return all;
}
std::string joined(std::vector<std::string> const& all) {
  std::string text;
  for (std::string const& s : all) text += (text.empty() ? "" : " | ") + s;
  return text;
}

/// The source of the request, as the log prints it. Several texts if the request failed, because a
/// plan does not record the source then.
std::vector<std::string> requested_texts(plan_node const& n) {
  std::string const why(to_string(n.why));
  if (!n.requested.has_value() || n.why == reason::gpu_first || n.why == reason::no_gpu)
    return {why};
  std::string const requested = "asked for " + to_string(n.requested) + ": ";
  if (!n.fell_back) return {requested + why};
  std::vector<std::string> all;
  for (request_source const requested_by :
       {request_source::thread, request_source::scope, request_source::type, request_source::pin})
    all.push_back(requested + std::string(to_string(reason_of(requested_by))) + ", but " + why);
  return all;
}
/// The possible log lines of the node.
std::vector<std::string> log_lines(any_plan const& p, plan_node const& n) {
  std::string const start =
      "placement: " + typed_name(n) + ' ' + shape_text(n) + " on " + device_text(n.device) + " (";
  std::string end = ")";
  if (!n.root) {
    std::string const root(root_of(p, n.kernel).op);
    if (n.moved)
      end += ", written in " + spec_text(n.written) + ", fused into " + root + " on " +
             to_string(n.device);
    else end += ", fused into " + root;
  }
  if (n.copies != 0)
    end += ", copied " + std::to_string(n.copies) + (n.copies == 1 ? " operand, " : " operands, ") +
           std::to_string(n.bytes) + " B";
  std::vector<std::string> all = requested_texts(n);
  for (std::string& requested : all) requested = start + requested + end;
  return all;
}
/// The line without its source location.
std::string_view without_site(std::string_view line) {
  std::size_t const at = line.rfind(" at ");
  return at != line.npos && line.find("pp:", at) != line.npos ? line.substr(0, at) : line;
}

std::string fallback_text(std::string const& op, std::string const& requested, device ran,
                          reason why) {
  return op + " asked for '" + requested + "' on " + to_string(ran) + ": " +
         std::string(to_string(why));
}
/// Whether the node is a kernel root or a copy.
bool is_step(plan_node const& n) { return n.root || n.kernel < 0; }

/// The first difference of two plans in an op. Empty if there is none.
std::string difference(plan_node const& a, plan_node const& b, bool written, bool copies) {
  std::string text;
  auto compare = [&](char const* what, auto const& x, auto const& y) {
    if (!(x == y)) text += std::string(text.empty() ? "" : ", ") + what;
  };
  compare("op", a.op, b.op);
  compare("element", a.element, b.element);
  compare("device", to_string(a.device), to_string(b.device));
  compare("why", a.why, b.why);
  compare("fell_back", a.fell_back, b.fell_back);
  compare("refused", a.refused, b.refused);
  compare("asked", to_string(a.requested), to_string(b.requested));
  if (written) compare("written", to_string(a.written), to_string(b.written));
  compare("moved", a.moved, b.moved);
  compare("kernel", a.kernel, b.kernel);
  compare("root", a.root, b.root);
  compare("into", a.into, b.into);
  compare("rank", a.rank, b.rank);
  for (std::size_t d = 0; d != a.rank; ++d)
    if (a.extent[d] != dyn && b.extent[d] != dyn) compare("extent", a.extent[d], b.extent[d]);
  if (copies) {
    compare("copies", a.copies, b.copies);
    if (a.exact && b.exact) compare("bytes", a.bytes, b.bytes);
  }
  bool const sized = a.result_bytes != unknown_size && b.result_bytes != unknown_size;
  if (sized && (a.root || copies)) compare("result_bytes", a.result_bytes, b.result_bytes);
  return text;
}

std::string table_of(any_plan const& p) {
  std::string text;
  for (plan_node const& n : p.nodes)
    text += joined(cells(p, n)) + (n.into >= 0 ? " -> " + std::to_string(n.into) : "") +
            ", asked " + spec_text(n.requested) + ", written " + spec_text(n.written) + ", " +
            std::to_string(n.copies) + " copies\n";
  return text;
}

}  // namespace

// ---- random choices

planned::planned(planned_expression const& e, int draw)
    : e_(e),
      number_(draw),
      dice_(static_cast<std::uint64_t>(e.number) * 7919u + static_cast<std::uint64_t>(draw)) {
  double work = 0;
  do {
    symbols_ = draw_symbols(e.symbols, dice_);
    work = 1;
    for (interpreter::index n : symbols_.extents) work *= static_cast<double>(n > 0 ? n : 1);
  } while (work > 1e7);
  int const gpus = device_count(kind::gpu);
  for (std::string const& leaf : interpreter::split(e.leaves, ' ')) {
    std::vector<index_t> shape;
    if (leaf != "-")
      for (std::string const& symbol : interpreter::split(leaf, ','))
        shape.push_back(extent(std::stoi(symbol)));
    shapes_.push_back(shape);
    int const where = dice_.below(1 + std::min(gpus, 2));
    devices_.push_back(where == 0 ? "/cpu:0" : "/gpu:" + std::to_string(where - 1));
  }
  for (interpreter::index n : symbols_.extents) has_empty_ = has_empty_ || n == 0;
  constexpr char const* names[] = {"/cpu:0", "/gpu:0", "/gpu:1", "", "/device:GPU", "/gpu:7"};
  for (int k = 0; k != e.scopes; ++k) scopes_.emplace_back(dice_.pick(names));
  for (int k = 0; k != e.pins; ++k) pins_.emplace_back(dice_.pick(names));
}

std::vector<situation> planned::situations() {
  std::vector<situation> all;
  for (rule const r : {rule::soft, rule::hard, rule::no_fallback}) {
    for (char const* outer :
         {"-", "T", "", "/gpu:0", "/gpu:1", "/gpu:7", "/cpu:0", "/device:GPU", "/job:localhost"})
      all.push_back({r, outer});
    all.push_back({r, "/gpu:1", "/cpu:0"});
    all.push_back({r, "/cpu:0", ""});
    all.push_back({r, "/job:localhost/device:GPU:1", "/task:0"});
  }
  for (rule const r : {rule::warn, rule::refuse_copies, rule::no_copies, rule::one_copy})
    for (char const* outer : {"-", "/gpu:1", "/cpu:0"}) all.push_back({r, outer});
  return all;
}

template <class T, std::size_t R> tensor<T, dextents<R>> planned::operand(int k) {
  auto const i = static_cast<std::size_t>(k);
  return copy_to(std::string_view(devices_[i]), evaluate(zeros<T>(extents_of<R>(shapes_[i]))));
}

placement::policy planned::policy() const {
  return {now_.under != rule::hard, now_.under != rule::no_fallback};
}

void planned::begin(situation const& s) {
  now_ = s;
  fallbacks_before_.clear();
  for (fallback const& f : fallbacks()) fallbacks_before_.push_back(f.times);
  std::string_view const outer = s.outer, inner = s.inner;
  if (outer == "T") set_current_device(device_count() > 1 ? gpu1 : cpu0);  // a device that exists
  else if (outer != "-") outer_.emplace(device_request(outer));
  if (inner != "-") inner_.emplace(device_request(inner));
  if (s.under == rule::hard) set_soft_device_placement(false);
  if (s.under == rule::no_fallback) settings_.emplace(no_fallback);
}

void planned::end() {
  settings_.reset();
  inner_.reset();
  outer_.reset();
  set_current_device(device{});
  set_soft_device_placement(true);
}

void planned::before() {
  settings_.reset();
  switch (now_.under) {
    case rule::no_fallback: settings_.emplace(no_fallback); break;
    case rule::warn: settings_.emplace(transfers::warn); break;
    case rule::refuse_copies: settings_.emplace(transfers::refuse); break;
    case rule::no_copies: settings_.emplace(no_copies); break;
    case rule::one_copy: settings_.emplace(at_most<copies, 1>{}); break;
    default: break;
  }
  seen_ = {};
  copies_before_ = all_copies();
  memory_before_.clear();
  for (int g = 0; g != device_count(kind::gpu); ++g)
    memory_before_.push_back(memory_stats_of(device{kind::gpu, g}).in_use);
  set_log_sink(&take_line, &seen_);
  set_log_level(log_level::all);
}

// ---- checks

void planned::fail(std::string what) {
  if (!wrong_.empty()) return;
  wrong_ = std::move(what) + "\n" + rule_names[static_cast<int>(now_.under)] + ", scope '" +
           now_.outer + "', in it '" + now_.inner + "'\nplan:\n" + table_of(plan_);
  for (std::string const& line : seen_.lines) wrong_ += "log: " + line + "\n";
  if (!seen_.error.empty()) wrong_ += "error: " + seen_.error + "\n";
}

void planned::after(bool silent) {
  set_log_level(log_level::off);
  set_log_sink(nullptr);
  copy_count const copied = all_copies();
  seen_.copies = copied.copies - copies_before_.copies;
  seen_.bytes = copied.bytes - copies_before_.bytes;
  std::vector<fallback> const all = fallbacks();
  fallbacks_before_.resize(all.size());
  for (std::size_t i = 0; i != all.size(); ++i) {
    std::size_t const times = all[i].times - std::exchange(fallbacks_before_[i], all[i].times);
    if (times != 0)
      seen_.fallbacks[fallback_text(all[i].op, all[i].requested, all[i].ran, all[i].why)] += times;
  }
  for (int g = 0; g != device_count(kind::gpu); ++g)
    if (memory_stats_of(device{kind::gpu, g}).in_use != memory_before_[static_cast<std::size_t>(g)])
      fail("GPU:" + std::to_string(g) + " has more memory in use than before");
  if (silent) {
    for (plan_node const& n : plan_.nodes)
      if (n.device != cpu0 || n.copies != 0 || n.fell_back || n.refused)
        fail("the plan of an expression on CPU:0 by type says something else");
    if (!seen_.lines.empty() || !seen_.error.empty() || seen_.copies != 0)
      fail("something is logged, refused or copied of an expression on CPU:0 by type");
    return;
  }
  check_error();
  check_lines(seen_.error.empty());
  if (seen_.error.empty()) check_totals();
  ++compared_;
  refused_ += !seen_.error.empty();
}

void planned::check_same(any_plan const& other) {
  if (plan_.kernels != other.kernels || plan_.nodes.size() != other.nodes.size())
    return fail("two plans differ in size; the other:\n" + table_of(other));
  for (std::size_t i = 0; i != plan_.nodes.size(); ++i)
    if (std::string const what = difference(plan_.nodes[i], other.nodes[i], true, true);
        !what.empty())
      return fail("two plans differ in op " + std::to_string(i) + ": " + what + "; the other:\n" +
                  table_of(other));
}

/// Checks the plan of the type against that of the value. Copies are compared if all tensors have
/// their device in the type and none is read twice.
void planned::check_type(any_plan const& of_type) {
  if (!equal_extents_) return;
  bool copies = !e_.repeats && !has_empty_;
  for (std::string_view const open : {"any_device", "_here"})
    copies = copies && std::string_view(e_.devices).find(open) == std::string_view::npos;
  // Under hard placement no tensor can be on a device that does not exist.
  bool const missing = std::string_view(e_.devices).find("gpu") != std::string_view::npos &&
                       device_count(kind::gpu) < 2;
  copies = copies && (policy().soft || !missing);
  // Whether ops in a called scope count as written in it is irrelevant to these ops.
  bool const inner_scopes = std::string_view(e_.cpp).find("with_device") != std::string_view::npos;
  ++compared_types_;
  compared_copies_ += copies;
  if (plan_.kernels != of_type.kernels || plan_.nodes.size() != of_type.nodes.size())
    return fail("the plan of the type has another size:\n" + table_of(of_type));
  for (std::size_t i = 0; i != plan_.nodes.size(); ++i) {
    plan_node const& value = plan_.nodes[i];
    plan_node const& type = of_type.nodes[i];
    if (std::string const what = difference(value, type, !inner_scopes, copies); !what.empty())
      return fail("the plan of the type differs in op " + std::to_string(i) + ": " + what +
                  "; it is\n" + table_of(of_type));
  }
}

/// Checks explain() against the plan, with one row per op.
void planned::check_text(std::string const& table) {
  std::vector<std::string> const lines = interpreter::split(table, '\n');
  if (lines.size() != plan_.nodes.size() + 1) return fail("explain has other rows:\n" + table);
  if (joined(cells_of_line(lines[0])) != "op | shape | device | kernel | moved | why")
    fail("explain has other columns:\n" + table);
  for (std::size_t i = 0; i != plan_.nodes.size(); ++i)
    if (cells_of_line(lines[i + 1]) != cells(plan_, plan_.nodes[i]))
      fail("explain says " + joined(cells_of_line(lines[i + 1])) + ", not " +
           joined(cells(plan_, plan_.nodes[i])));
}

/// The first error of this kernel and of those that it reads. Empty if there is none.
std::string planned::error_of_kernel(int kernel) const {
  auto cannot = [](plan_node const& n) {
    return "Cannot assign a device to node '" + std::string(n.op) +
           "': Could not satisfy explicit device specification '" +
           detail::legacy_spec(n.requested) + "' for " + typed_name(n) + ' ' + shape_text(n) +
           ": " + std::string(to_string(n.why));
  };
  plan_node const& root = root_of(plan_, kernel);
  if (root.refused) return cannot(root);
  for (plan_node const& n : plan_.nodes)
    if (n.kernel == kernel && !n.root && n.refused)
      return "placement: " + typed_name(n) + ' ' + shape_text(n) + " was written in " +
             spec_text(n.written) + " and would be fused into " + std::string(root.op) + " on " +
             to_string(n.device);
  for (plan_node const& n : plan_.nodes) {
    if (!is_step(n) || n.into != kernel) continue;
    std::string const below = n.kernel >= 0 ? error_of_kernel(n.kernel)
                              : n.refused   ? cannot(n)
                                            : std::string();
    if (!below.empty()) return below;
  }
  return {};
}
std::string planned::expected_error() const {
  plan_node const& last = plan_.nodes.back();
  if (last.kernel >= 0) return error_of_kernel(last.kernel);
  return last.refused ? "Cannot assign a device to node 'Copy'" : std::string();
}

/// Whether the rules of this situation forbid the planned copies.
bool planned::copies_are_refused(std::size_t& max) const {
  std::size_t of_kernels = 0, all = 0;
  for (plan_node const& n : plan_.nodes) {
    all += n.copies;
    if (n.kernel >= 0) of_kernels += n.copies;
  }
  max = now_.under == rule::one_copy ? 1 : 0;
  if (now_.under == rule::refuse_copies) return of_kernels > 0;
  return (now_.under == rule::no_copies || now_.under == rule::one_copy) && all > max;
}

/// Checks that evaluation throws exactly if the plan or the copy rules require it.
void planned::check_error() {
  std::string const expected = expected_error();
  std::size_t max = 0;
  bool const budget = now_.under == rule::no_copies || now_.under == rule::one_copy;
  if (budget && std::string_view(e_.cpp).find("at_most") != std::string_view::npos)
    return;  // the inner budget applies there
  if (copies_are_refused(max)) {
    std::string const start = now_.under == rule::refuse_copies
                                  ? "placement: explicit transfers: an operand of "
                                  : "placement: at most " + std::to_string(max) +
                                        (max == 1 ? " copy is" : " copies are") +
                                        " allowed here, and an operand of ";
    for (plan_node const& n : plan_.nodes)
      if (n.copies != 0 && seen_.error.starts_with(start + std::string(n.op) + ' ')) return;
    if (expected.empty()) return fail("a copy that must not be is not refused");
  }
  if (expected.empty() && !seen_.error.empty()) return fail("it is refused");
  if (!seen_.error.starts_with(expected)) return fail("it is not refused by: " + expected);
  if (!expected.starts_with("Cannot")) return;
  if (seen_.error.find("; available: /CPU:0") == std::string::npos)
    fail("the error does not say what there is");
}

/// Checks the log lines of each op against the plan, also the lines before an error.
void planned::check_lines(bool finished) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> copied, planned_copies;
  std::size_t next = 0;
  auto next_op = [&] {
    while (next != plan_.nodes.size() && plan_.nodes[next].kernel < 0) ++next;
  };
  for (std::string const& whole : seen_.lines) {
    std::string_view const line = without_site(whole);
    if (line.find(" on the CPU, in memory of ") != line.npos) continue;
    if (line.starts_with("placement: fallback: ")) {
      bool found = false;
      for (plan_node const& n : plan_.nodes)
        found = found ||
                (is_step(n) && n.fell_back &&
                 line.starts_with("placement: fallback: " + typed_name(n) + ' ' + shape_text(n) +
                                  (n.requested.has_value() ? " asked for " + to_string(n.requested)
                                                           : " would go to a GPU") +
                                  ", runs on " + to_string(n.device) + ": " +
                                  std::string(to_string(n.why))));
      if (!found) fail("a fallback is not planned: " + whole);
      continue;
    }
    bool const warns = line.starts_with("placement: warning: copy of ");
    if (warns || line.starts_with("placement: copy of ")) {
      std::string_view const rest = line.substr(line.find(" copy of ") + 9);
      auto& sum = copied[std::string(rest.substr(rest.find(" to ")))];
      ++sum.first;
      sum.second += std::stoul(std::string(rest));
      if (warns != (now_.under == rule::warn && rest.find(" for ") != rest.npos))
        fail("a warning too many or too few: " + whole);
      continue;
    }
    next_op();
    if (next == plan_.nodes.size()) return fail("an op is not planned: " + whole);
    bool same = false;
    for (std::string const& text : log_lines(plan_, plan_.nodes[next])) same = same || text == line;
    if (!same)
      return fail("the log says " + whole + "\nnot " + log_lines(plan_, plan_.nodes[next])[0]);
    ++next;
  }
  if (!finished) return;
  next_op();
  if (next != plan_.nodes.size())
    return fail("the log has no line for " + typed_name(plan_.nodes[next]));
  for (plan_node const& n : plan_.nodes) {
    if (n.copies == 0) continue;
    auto& sum = planned_copies[" to " + to_string(n.device) +
                               (n.kernel < 0 ? std::string() : " for " + std::string(n.op))];
    sum.first += n.copies;
    sum.second += n.bytes;
  }
  if (copied != planned_copies) fail("the log tells of other copies");
}

/// Checks the counts of copies and fallbacks against the plan.
void planned::check_totals() {
  std::size_t copies = 0, bytes = 0;
  std::map<std::string, std::size_t> fell_back;
  for (plan_node const& n : plan_.nodes) {
    copies += n.copies;
    bytes += n.bytes;
    if (is_step(n) && n.fell_back) {
      std::string const requested =
          n.requested.has_value() ? to_string(n.requested) : std::string();
      ++fell_back[fallback_text(typed_name(n), requested, n.device, n.why)];
    }
    // copied to the GPU as a constant, not as an operand
    if (n.op == "Const" && n.device.is_gpu() && n.extent[0] != 0) {
      std::size_t const size = n.element == "bool" || n.element.ends_with("int8") ? 1
                               : n.element == "double" || n.element == "int64"    ? 8
                                                                                  : 4;
      ++copies;
      bytes += static_cast<std::size_t>(n.extent[0]) * size;
    }
  }
  if (copies != seen_.copies || bytes != seen_.bytes)
    fail("there were " + std::to_string(seen_.copies) + " copies, " + std::to_string(seen_.bytes) +
         " B; planned were " + std::to_string(copies) + ", " + std::to_string(bytes) + " B");
  if (fell_back != seen_.fallbacks) {
    std::string text;
    for (auto const& [what, times] : seen_.fallbacks)
      text += "\n" + what + ": " + std::to_string(times);
    fail("there were other fallbacks than planned:" + text);
  }
}

std::string planned::description() const {
  std::ostringstream text;
  text << "expression " << e_.number << ", draw " << number_
       << " (PLACEMENT_GENERATED_ONLY=" << e_.number << ':' << number_ << ")\n  " << e_.cpp << "\n";
  for (std::size_t k = 0; k != shapes_.size(); ++k) {
    text << "  x" << k << ": [";
    for (index_t n : shapes_[k]) text << ' ' << n;
    text << " ] on " << devices_[k] << "\n";
  }
  text << "  types of the leaves name " << e_.devices << "\n";
  for (std::size_t k = 0; k != scopes_.size(); ++k)
    text << "  scope " << k << " '" << scopes_[k] << '\'';
  for (std::size_t k = 0; k != pins_.size(); ++k) text << "  on " << k << " '" << pins_[k] << '\'';
  return text.str();
}

void check(std::span<planned_expression const> all) {
  char const* const only = std::getenv("PLACEMENT_GENERATED_ONLY");
  char const* const draws_text = std::getenv("PLACEMENT_GENERATED_DRAWS");
  int const draws = draws_text != nullptr                         ? std::atoi(draws_text)
                    : std::getenv("PLACEMENT_NIGHTLY") != nullptr ? 4
                                                                  : 1;
  int compared = 0, types = 0, copies = 0, refused = 0, failures = 0;
  set_log_level(log_level::off);
  for (planned_expression const& e : all) {
    for (int n = 0; n != draws; ++n) {
      if (only != nullptr && std::to_string(e.number) + ':' + std::to_string(n) != only) continue;
      planned d(e, n);
      std::string threw;
      try {
        e.run(d);
      } catch (std::exception const& problem) { threw = problem.what(); }
      compared += d.compared();
      types += d.compared_types();
      copies += d.compared_copies();
      refused += d.refused();
      if (d.wrong().empty() && threw.empty()) continue;
      UNSCOPED_INFO(threw << d.wrong() << "\n" << d.description());
      CHECK((d.wrong().empty() && threw.empty()));
      if (++failures == 10) FAIL("too many: the rest is not run");
      break;
    }
  }
  if (only != nullptr) return;
  INFO(compared << " evaluations compared, " << types << " plans of types, " << copies
                << " of them with copies; " << refused << " evaluations refused");
  CHECK(types * 4 > compared);
  CHECK(copies > 0);
  CHECK((refused > 0 && refused < compared));
}

// ---- instantiations for each element type and rank

#define PLACEMENT_PLANNED_TYPE(T)                              \
  template tensor<T, dextents<0>> planned::operand<T, 0>(int); \
  template tensor<T, dextents<1>> planned::operand<T, 1>(int); \
  template tensor<T, dextents<2>> planned::operand<T, 2>(int); \
  template tensor<T, dextents<3>> planned::operand<T, 3>(int); \
  template tensor<T, dextents<4>> planned::operand<T, 4>(int); \
  template tensor<T, dextents<5>> planned::operand<T, 5>(int);
PLACEMENT_PLANNED_TYPE(bool)
PLACEMENT_PLANNED_TYPE(signed char)
PLACEMENT_PLANNED_TYPE(unsigned char)
PLACEMENT_PLANNED_TYPE(int)
PLACEMENT_PLANNED_TYPE(unsigned)
PLACEMENT_PLANNED_TYPE(std::int64_t)
PLACEMENT_PLANNED_TYPE(float)
PLACEMENT_PLANNED_TYPE(double)

}  // namespace generated
