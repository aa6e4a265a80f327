// Fuzzes device names against a second parser that shares no code and no method with the first. It
// splits the text at slashes and compares whole pieces, with strings instead of numbers.
#include <placement/device/device_spec.hpp>
#include <placement/device/name.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace placement;

// ---- the oracle

using parts = std::map<std::string, std::string>;  // "job", "replica", "task", "type", "index"

bool all_in(std::string const& text, char const* characters) {
  return text.find_first_not_of(characters) == std::string::npos;
}

constexpr char const* digits = "0123456789";
constexpr char const* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c & ~0x20);
  return text;
}

/// Accepts "*" or a word. A word becomes a part.
bool take_word(parts& found, std::string const& name, std::string text) {
  if (text == "*") return true;
  if (text.empty() || !all_in(text.substr(0, 1), letters)) return false;
  if (!all_in(text, (std::string(letters) + digits + "_").c_str())) return false;
  if (name == "type" && (upper(text) == "CPU" || upper(text) == "GPU")) text = upper(text);
  found[name] = text;
  return true;
}

/// Accepts "*" or a number. A number becomes a part, without leading zeros.
bool take_number(parts& found, std::string const& name, std::string text) {
  if (text == "*") return true;
  if (text.empty() || !all_in(text, digits)) return false;
  while (text.size() > 1 && text[0] == '0') text.erase(0, 1);
  std::string const max = "2147483647";
  if (text.size() > max.size() || (text.size() == max.size() && text > max)) return false;
  found[name] = text;
  return true;
}

bool take_device(parts& found, std::string const& text) {
  std::size_t const colon = text.find(':');
  if (colon == std::string::npos) return take_word(found, "type", text);
  if (!take_word(found, "type", text.substr(0, colon))) return false;
  if (!take_number(found, "index", text.substr(colon + 1))) return false;
  return found.count("index") == 0 || found.count("type") == 1;
}

/// Accepts one piece between slashes.
bool take_piece(parts& found, std::map<std::string, int>& seen, std::string const& piece) {
  std::size_t const colon = piece.find(':');
  if (colon == std::string::npos) return false;
  std::string const key = piece.substr(0, colon), value = piece.substr(colon + 1);
  bool const short_form = upper(key) == "CPU" || upper(key) == "GPU";
  if (++seen[short_form ? "device" : key] > 1) return false;
  if (key == "job") return take_word(found, "job", value);
  if (key == "replica" || key == "task") return take_number(found, key, value);
  if (key == "device") return take_device(found, value);
  if (!short_form) return false;
  found["type"] = upper(key);
  return take_number(found, "index", value);
}

std::optional<parts> oracle(std::string const& text) {
  parts found;
  if (text.size() > 4096) return std::nullopt;
  if (text.empty() || text == "/") return found;
  if (text[0] != '/') return std::nullopt;
  std::map<std::string, int> seen;
  std::size_t at = 1;
  for (;;) {
    std::size_t const slash = text.find('/', at);
    if (!take_piece(found, seen, text.substr(at, slash - at))) return std::nullopt;
    if (slash == std::string::npos) return found;
    at = slash + 1;
  }
}

std::optional<parts> local_oracle(std::string const& text) {
  parts found;
  std::size_t const colon = text.find(':');
  if (text.size() > 4096 || colon == std::string::npos) return std::nullopt;
  if (!take_word(found, "type", text.substr(0, colon))) return std::nullopt;
  if (!take_number(found, "index", text.substr(colon + 1))) return std::nullopt;
  if (found.size() != 2) return std::nullopt;
  return found;
}

std::string canonical(parts const& p) {
  std::string text;
  for (auto key : {"job", "replica", "task"})
    if (auto const part = p.find(key); part != p.end())
      text += std::string("/") + key + ":" + part->second;
  if (auto const type = p.find("type"); type != p.end()) {
    auto const index = p.find("index");
    text += "/device:" + type->second + ":" + (index == p.end() ? "*" : index->second);
  }
  return text;
}

// ---- the comparison

[[noreturn]] void stop(char const* what, std::string const& text) {
  std::fprintf(stderr, "%s: '%s'\n", what, detail::escaped(text).c_str());
  std::abort();
}

void compare(std::string const& text, name_reading const& reading, std::optional<parts> expected) {
  // too long to be parsed again
  if (expected && canonical(*expected).size() > 4096) expected.reset();
  if (reading.ok() != expected.has_value()) stop(reading.ok() ? "accepted" : "refused", text);
  if (!reading.ok()) {
    if (reading.column > text.size() + 1 || reading.expected.empty()) stop("column", text);
    if (!reading.name.is_empty()) stop("a refused name says something", text);
    return;
  }
  if (!expected || to_string(reading.name) != canonical(*expected)) stop("canonical form", text);
  std::string const printed = to_string(reading.name);
  if (parse_name(printed) != reading.name) stop("canonical form again", text);
}

bool can_merge(device_name const& a, device_name const& b) {
  try {
    device_name const merged = merge_strict(a, b);
    return is_specification(a, merged) && is_specification(b, merged);
  } catch (invalid_argument const&) { return false; }
}

bool is_local(device_name const& name) {
  return (!name.has_job() || name.job == "localhost") && name.replica <= 0 && name.task <= 0 &&
         (!name.has_type() || name.type == "CPU" || name.type == "GPU") && name.index < 1000;
}

/// Checks laws that hold for any two names.
void check_laws(device_name const& a, device_name const& b) {
  std::string const both = to_string(a) + " and " + to_string(b);
  if (is_compatible(a, b) != is_compatible(b, a)) stop("compatible", both);
  if (is_specification(a, b) && !is_compatible(a, b)) stop("specification", both);
  if (!is_specification(a, a) || !is_specification({}, a)) stop("reflexive", both);
  if (!is_specification(a, merge_unset(a, b))) stop("unset-only merge", both);
  if (!is_specification(b, nest(a, b))) stop("nesting", both);
  if (is_compatible(a, b) != can_merge(a, b)) stop("strict merge", both);
  if (!is_local(a) || !is_local(b)) return;  // the table of other names is bounded
  if (device_spec::of(a).name() != a) stop("wish", both);
  if (nest(device_spec::of(a), device_spec::of(b)).name() != nest(a, b))
    stop("nesting of wishes", both);
}

/// A text from bytes: the bytes themselves, or one word of the grammar per byte.
std::string text_of(std::uint8_t const* data, std::size_t size) {
  static std::vector<std::string> const words = {
      "/",          ":",     "*",   "job",    "replica",   "task",      "device",     "cpu",
      "gpu",        "CPU",   "GPU", "/job:",  "/replica:", "/task:",    "/device:",   "/gpu:",
      "/cpu:",      "/GPU:", "0",   "1",      "7",         "00",        "2147483647", "2147483648",
      "4294967296", "a",     "_b",  "worker", "XLA_GPU",   "localhost", "-",          " "};
  if (size == 0) return {};
  if (data[0] & 1) return {reinterpret_cast<char const*>(data + 1), size - 1};
  std::string text;
  for (std::size_t i = 1; i != size; ++i) text += words[data[i] % words.size()];
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text = text_of(data, size);
  name_reading const full = read_name(text);
  compare(text, full, oracle(text));
  compare(text, read_local_name(text), local_oracle(text));
  if (!full.ok()) {
    try {
      (void)parse_name(text);
      stop("not thrown", text);
    } catch (invalid_argument const& e) {
      for (char const* c = e.what(); *c != '\0'; ++c)
        if ((*c < 0x20 && *c != '\n') || *c > 0x7e) stop("message not escaped", text);
    }
  }
  // Uses the two halves of a text as two names.
  std::string const first = text.substr(0, text.size() / 2), second = text.substr(text.size() / 2);
  name_reading const a = read_name(first), b = read_name(second);
  if (a.ok() && b.ok()) check_laws(a.name, b.name);
  return 0;
}
