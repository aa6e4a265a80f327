#pragma once
/// Definitions of jobs.hpp.

#include <placement/config.hpp>
#include <placement/device/visibility.hpp>
#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/runtime/parse.hpp>
#include <placement/src/device/task_table.ipp>
#include <placement/tasks/jobs.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

PLACEMENT_INLINE std::vector<job> parse_jobs(std::string_view text) try {
  std::vector<job> jobs;
  for (detail::comma_list list(text); auto const entry = list.next();) {
    std::size_t const colon = entry->find(':');
    auto const tasks = colon == std::string_view::npos
                           ? std::nullopt
                           : detail::parse_decimal(entry->substr(colon + 1));
    if (!tasks || *tasks > static_cast<std::uint64_t>(detail::max_tasks))
      detail::throw_wrong_jobs(detail::quote(std::string(*entry)) +
                               " has no name and number of tasks");
    jobs.push_back({std::string(entry->substr(0, colon)), static_cast<int>(*tasks)});
  }
  return detail::task_table(std::move(jobs)).jobs();
} catch (...) { detail::rethrow_as_error(); }

namespace detail {

/// Reads the parts of JSON that a TF_CONFIG has. Other members of objects are skipped.
class json_reader {
 public:
  explicit json_reader(std::string_view text) : text_(text) {}

  /// Calls member(name) for each member of an object. It must read the value.
  template <class F> void object(F const& member) {
    expect('{');
    if (accept('}')) return;
    do {
      std::string const name = string();
      expect(':');
      member(name);
    } while (accept(','));
    expect('}');
  }
  template <class F> void array(F const& element) {
    expect('[');
    if (accept(']')) return;
    do element();
    while (accept(','));
    expect(']');
  }
  std::string string() {
    expect('"');
    std::size_t const end = text_.find_first_of("\"\\", at_);
    if (end == std::string_view::npos || text_[end] == '\\') fail();
    std::string const value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }
  /// A number, which may be in quotes as TensorFlow's often is.
  int number() {
    bool const quoted = accept('"');
    std::size_t const first = at_;
    while (at_ != text_.size() && is_digit(text_[at_])) ++at_;
    auto const value = parse_decimal(text_.substr(first, at_ - first));
    if (!value || *value > static_cast<std::uint64_t>(max_tasks)) fail();
    if (quoted) expect('"');
    return static_cast<int>(*value);
  }
  void skip(int depth = 0) {
    if (depth > 32) fail();
    spaces();
    char const c = at_ == text_.size() ? '\0' : text_[at_];
    if (c == '{') object([&](std::string const&) { skip(depth + 1); });
    else if (c == '[') array([&] { skip(depth + 1); });
    else if (c == '"') static_cast<void>(string());
    else word();
  }
  void end() {
    spaces();
    if (at_ != text_.size()) fail();
  }
  [[noreturn]] void fail() const {
    throw invalid_argument(
        "placement: TF_CONFIG is not TensorFlow's JSON of a cluster, at column " +
        std::to_string(at_ + 1) +
        ". Give {\"cluster\": {\"worker\": [\"host:port\", ...]}, \"task\": "
        "{\"type\": \"worker\", \"index\": 0}}, or unset it.");
  }

 private:
  void spaces() {
    while (at_ != text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool accept(char c) {
    spaces();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  void word() {
    std::size_t const first = at_;
    while (at_ != text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) ||
            std::string_view("+-.").find(text_[at_]) != std::string_view::npos))
      ++at_;
    if (first == at_) fail();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace detail

PLACEMENT_INLINE tf_config parse_tf_config(std::string_view text) try {
  detail::json_reader json(text.substr(0, std::size_t{1} << 20));
  tf_config found;
  std::string type;
  int index = -1;
  json.object([&](std::string const& part) {
    if (part == "cluster") {
      json.object([&](std::string const& name) {
        found.jobs.push_back({name, 0});
        json.array([&] {
          static_cast<void>(json.string());
          ++found.jobs.back().tasks;
        });
      });
    } else if (part == "task") {
      json.object([&](std::string const& name) {
        if (name == "type") type = json.string();
        else if (name == "index") index = json.number();
        else json.skip();
      });
    } else {
      json.skip();
    }
  });
  json.end();
  detail::task_table const table(found.jobs);
  if (type.empty() && index < 0) return found;
  device_name own;
  own.job = type;
  own.task = index;
  found.own_task = index < 0 ? detail::task_table::none : table.find(own);
  if (found.own_task < 0)
    throw invalid_argument("placement: the task of TF_CONFIG, " + detail::quote(type) + " " +
                           std::to_string(index) + ", is not in its cluster.");
  return found;
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
