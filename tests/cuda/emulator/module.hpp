#pragma once
/// A PTX module: its kernels, functions and variables. Kernels are decoded at their first use.

#include "kernel.hpp"
#include "text.hpp"

#include <cstring>
#include <memory>
#include <unordered_map>

namespace ptx {

/// ".param .align 8 .b8 name[32]": a variable. An array without a size is dynamic shared memory.
struct variable {
  std::string name;
  u32 align = 1;
  u8 width = 1;
  u32 bytes = 0;
  bool dynamic = false;
};
inline variable variable_of(std::string_view declaration) {
  variable v;
  std::vector<std::string_view> const words = declaration_words(declaration);
  bool aligned = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view const w = words[i];
    if (w == ".align") {
      u32 const align = static_cast<u32>(std::stoul(std::string(words[++i])));
      if (!aligned) v.align = align;  // one after .ptr is that of the pointer's target
      aligned = true;
    } else if (w == ".ptr") {
      aligned = true;
    } else if (w[0] == '.') {
      if (w.size() > 2 && std::isdigit(static_cast<unsigned char>(w.back())) != 0)
        v.width = width_of(w.substr(1));
    } else {
      std::size_t const bracket = w.find('[');
      v.name = w.substr(0, bracket);
      v.dynamic = bracket != w.npos && w[bracket + 1] == ']';
      u32 const count = v.dynamic ? 0
                        : bracket == w.npos
                            ? 1
                            : static_cast<u32>(std::stoul(std::string(w.substr(bracket + 1))));
      v.bytes = v.width * count;
    }
  }
  v.align = std::max<u32>(v.align, v.width);
  return v;
}

/// The parts of an entry or function in the module's text.
struct function_text {
  std::string_view results, params, body;
  u32 line = 0;  ///< where the body begins
};

class module {
 public:
  /// Throws: unknown_ptx.
  explicit module(std::string text) : text_(without_comments(std::move(text))) {
    std::string_view const all = text_;
    for (std::size_t i = 0; (i = all.find_first_not_of(" \t\r\n", i)) != all.npos;)
      i = directive(all, i);
  }
  module(module const&) = delete;
  module& operator=(module const&) = delete;

  /// 80 for `.target sm_80`: the compute capability that the code needs.
  int target() const { return target_; }
  bool has(std::string const& kernel_name) const { return entries_.contains(kernel_name); }
  /// The decoded kernel. Throws: unknown_ptx.
  kernel const& find(std::string const& kernel_name);

  function_text const* function(std::string const& name) const {
    auto const it = functions_.find(name);
    return it == functions_.end() ? nullptr : &it->second;
  }
  variable const* shared(std::string const& name) const {
    auto const it = shared_.find(name);
    return it == shared_.end() ? nullptr : &it->second;
  }
  /// The bytes of a variable in global or constant memory; nullptr if there is none.
  std::vector<u64>* data(std::string const& name) {
    auto const it = data_.find(name);
    return it == data_.end() ? nullptr : &it->second;
  }
  /// Calls f(address, bytes) for each variable in global or constant memory.
  template <class F> void each_variable(F const& f) const {
    for (auto const& [name, words] : data_)
      f(reinterpret_cast<u64>(words.data()), words.size() * sizeof(u64));
  }

 private:
  /// Reads what begins at `i`. Returns where the next begins.
  std::size_t directive(std::string_view all, std::size_t i) {
    std::string_view const from = all.substr(i);
    std::size_t const line_end = std::min(from.find('\n'), from.size());
    constexpr std::string_view target = ".target sm_";
    if (from.starts_with(target)) target_ = std::stoi(std::string(from.substr(target.size(), 4)));
    for (char const* word : {".version", ".target", ".address_size", ".file"})
      if (from.starts_with(word)) return i + line_end;
    std::size_t const stop = from.find_first_of(";{");
    if (stop == from.npos) throw unknown_ptx("PTX: " + std::string(trimmed(from)));
    std::string_view const head = from.substr(0, stop);
    bool const entry = head.find(".entry") != head.npos, func = head.find(".func") != head.npos;
    if (entry || func) {
      if (from[stop] == ';') return i + stop + 1;  // declared only
      std::size_t const end = closing(from, stop);
      add_function(head, from.substr(stop + 1, end - stop - 1), entry, line_of(i + stop));
      return i + end + 1;
    }
    std::size_t const end = std::min(from.find(';'), from.size() - 1);
    add_variable(from.substr(0, end));
    return i + end + 1;
  }
  u32 line_of(std::size_t at) {
    for (; counted_ < at; ++counted_) line_ += text_[counted_] == '\n' ? 1u : 0u;
    return line_;
  }

  void add_function(std::string_view head, std::string_view body, bool entry, u32 line) {
    function_text f{{}, {}, body, line};
    std::string_view const word = entry ? ".entry" : ".func";
    std::string_view rest = trimmed(head.substr(head.find(word) + word.size()));
    if (rest.starts_with("(")) {
      std::size_t const end = closing(rest, 0);
      f.results = rest.substr(1, end - 1);
      rest = trimmed(rest.substr(end + 1));
    }
    std::string const name(rest.substr(0, rest.find_first_of("( \t\r\n")));
    if (std::size_t const open = rest.find('('); open != rest.npos)
      f.params = rest.substr(open + 1, closing(rest, open) - open - 1);
    (entry ? entries_ : functions_)[name] = f;
  }
  void add_variable(std::string_view text) {
    std::size_t const equals = text.find('=');
    std::string_view const head = text.substr(0, equals);
    if (head.find(".shared") != head.npos) {
      variable const v = variable_of(head);
      shared_[v.name] = v;
      return;
    }
    if (head.find(".global") == head.npos && head.find(".const") == head.npos) return;
    variable const v = variable_of(head);
    std::vector<u64> bytes((v.bytes + 7) / 8);
    if (equals != text.npos && !initialize(v, text.substr(equals + 1), bytes)) return;
    data_[v.name] = std::move(bytes);
  }
  /// Returns false for initial values other than numbers, such as addresses.
  static bool initialize(variable const& v, std::string_view values, std::vector<u64>& words) {
    values = trimmed(values);
    if (values.starts_with("{")) values = values.substr(1, closing(values, 0) - 1);
    auto* to = reinterpret_cast<u8*>(words.data());
    for (std::string_view text : split(values)) {
      std::optional<u64> const value = literal(text, "");
      if (!value) return false;
      std::memcpy(to, &*value, v.width);
      to += v.width;
    }
    return true;
  }

  std::string text_;
  std::unordered_map<std::string, function_text> entries_, functions_;
  std::unordered_map<std::string, variable> shared_;
  std::unordered_map<std::string, std::vector<u64>> data_;
  std::unordered_map<std::string, std::unique_ptr<kernel>> ready_;
  int target_ = 0;
  std::size_t counted_ = 0;
  u32 line_ = 1;
};

}  // namespace ptx
