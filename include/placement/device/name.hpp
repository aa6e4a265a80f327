#pragma once
/// Device names: TensorFlow's strings, such as "/job:worker/task:1/device:GPU:0", read by one
/// constexpr parser, with their canonical form, relations and merges.
///
///     name := "" | "/" | part+        parts in any order, each at most once
///     part := "/job:" (JOB|"*") | "/replica:" (NUM|"*") | "/task:" (NUM|"*")
///           | "/device:" (TYPE|"*") [":" (NUM|"*")] | ("/cpu:"|"/gpu:" in any case) (NUM|"*")
///     JOB, TYPE := letter (letter|digit|"_")*        NUM := decimal digits, at most 2^31-1
///
/// "*" says nothing. Stricter than TensorFlow where that is quietly wrong: a number above 2^31-1, a
/// repeated part and an index without a type are refused.

#include <placement/device/text.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement::inline v0_1 {

/// The parts of a device name. Texts are views: into the parsed text, or of static storage for the
/// types "CPU" and "GPU", which are recognised in any case.
struct device_name {
  static constexpr int unset = -1;

  std::string_view job;
  int replica = unset;
  int task = unset;
  std::string_view type;
  int index = unset;

  friend constexpr bool operator==(device_name const&, device_name const&) = default;

  constexpr bool has_job() const noexcept { return !job.empty(); }
  constexpr bool has_replica() const noexcept { return replica != unset; }
  constexpr bool has_task() const noexcept { return task != unset; }
  constexpr bool has_type() const noexcept { return !type.empty(); }
  constexpr bool has_index() const noexcept { return index != unset; }

  /// Whether no part is given: "", "/", "/job:*", "/device:*".
  constexpr bool says_nothing() const noexcept { return *this == device_name{}; }
};

/// The longest text that is read as a device name.
inline constexpr std::size_t longest_device_name = 4096;

/// What reading a name gave: the name, or where it went wrong and what was expected there.
struct name_reading {
  device_name name;
  std::size_t column = 0;     ///< of the first character that is wrong, counted from 1; 0 = none
  std::string_view expected;  ///< at that column

  constexpr bool ok() const noexcept { return column == 0; }
};

namespace detail {

/// The static spelling of a type in any case: "gpu" -> "GPU"; other types stay as they are.
constexpr std::string_view canonical_type(std::string_view type) noexcept {
  return same_word(type, "cpu") ? "CPU" : same_word(type, "gpu") ? "GPU" : type;
}

/// Walks once over a text from left to right and keeps the first mistake.
class name_reader {
 public:
  constexpr explicit name_reader(std::string_view text) noexcept : text_(text) {}

  /// The full form.
  constexpr name_reading full() noexcept {
    if (text_.size() > longest_device_name) return fail_at(longest_device_name, too_long).result();
    if (text_.empty() || text_ == "/") return result();
    while (ok() && !at_end()) read_part();
    return result();
  }

  /// The local form: TYPE ":" NUM.
  constexpr name_reading local() noexcept {
    if (text_.size() > longest_device_name) return fail_at(longest_device_name, too_long).result();
    found_.name.type = canonical_type(word("a device type, as in GPU:0"));
    if (ok() && !take(":")) fail("':' and an index, as in GPU:0");
    if (ok()) found_.name.index = number("a decimal index of at most 2147483647");
    if (ok() && !at_end()) fail("the end of the name");
    return result();
  }

 private:
  static constexpr std::string_view too_long =
      "the end of the name: it has at most 4096 characters";
  static constexpr std::string_view a_number = "a decimal number of at most 2147483647, or '*'";

  constexpr bool ok() const noexcept { return found_.ok(); }
  constexpr bool at_end() const noexcept { return at_ == text_.size(); }

  constexpr name_reading result() const noexcept {
    return ok() ? found_ : name_reading{{}, found_.column, found_.expected};
  }

  constexpr name_reader& fail_at(std::size_t place, std::string_view expected) noexcept {
    if (ok()) {
      found_.column = place + 1;
      found_.expected = expected;
    }
    return *this;
  }
  constexpr void fail(std::string_view expected) noexcept { fail_at(at_, expected); }

  constexpr bool take(std::string_view what) noexcept {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  constexpr bool take_any_case(std::string_view what) noexcept {
    if (!same_word(text_.substr(at_, what.size()), what)) return false;
    at_ += what.size();
    return true;
  }

  constexpr std::string_view word(std::string_view expected) noexcept {
    std::size_t const start = at_;
    if (at_end() || !is_letter(text_[at_])) fail(expected);
    while (ok() && !at_end() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_'))
      ++at_;
    return text_.substr(start, at_ - start);
  }
  constexpr std::string_view word_or_any(std::string_view expected) noexcept {
    return take("*") ? std::string_view{} : word(expected);
  }

  constexpr int number(std::string_view expected) noexcept {
    std::size_t const start = at_;
    while (!at_end() && is_digit(text_[at_])) ++at_;
    auto const value = decimal(text_.substr(start, at_ - start));
    if (value && *value <= 2147483647) return static_cast<int>(*value);
    fail_at(start, expected);
    return device_name::unset;
  }
  constexpr int number_or_any() noexcept {
    return take("*") ? device_name::unset : number(a_number);
  }

  constexpr void once(bool& seen, std::size_t part, std::string_view expected) noexcept {
    if (seen) fail_at(part, expected);
    seen = true;
  }

  /// One part, from its '/' to before the next one.
  constexpr void read_part() noexcept {
    std::size_t const part = at_;
    device_name& name = found_.name;
    if (take("/job:")) {
      once(job_seen_, part, "only one job");
      name.job = word_or_any("a job (a letter, then letters, digits or '_'), or '*'");
    } else if (take("/replica:")) {
      once(replica_seen_, part, "only one replica");
      name.replica = number_or_any();
    } else if (take("/task:")) {
      once(task_seen_, part, "only one task");
      name.task = number_or_any();
    } else if (take("/device:")) {
      once(device_seen_, part, "only one device");
      read_device();
    } else if (take_any_case("/cpu:") || take_any_case("/gpu:")) {
      once(device_seen_, part, "only one device");
      name.type = canonical_type(text_.substr(part + 1, 3));
      name.index = number_or_any();
    } else if (take("/")) {
      fail("one of job: replica: task: device: cpu: gpu:");
    } else {
      fail(part == 0 ? "'/' before the first part, as in /GPU:0" : "'/' or the end of the name");
    }
  }

  /// The part after "/device:".
  constexpr void read_device() noexcept {
    found_.name.type = canonical_type(
        word_or_any("a device type (a letter, then letters, digits or '_'), or '*'"));
    std::size_t const colon = at_;
    if (!ok() || !take(":")) return;
    found_.name.index = number_or_any();
    if (!found_.name.has_type() && found_.name.has_index())
      fail_at(colon, "no index, because the type is '*'");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool job_seen_ = false, replica_seen_ = false, task_seen_ = false, device_seen_ = false;
  name_reading found_;
};

/// The text and, below it, a mark under one column; a long text is cut to what is around the mark.
inline std::string marked(std::string_view text, std::size_t column) {
  std::size_t const place = column - 1;
  std::size_t const from = place > shown_characters / 2 ? place - shown_characters / 2 : 0;
  std::string const before = (from == 0 ? "" : "...") + escaped(text.substr(from, place - from));
  std::string_view const rest = text.substr(place);
  std::string const after = escaped(rest.substr(0, shown_characters / 2));
  return "  " + before + after + (rest.size() > shown_characters / 2 ? "..." : "") + "\n  " +
         std::string(before.size(), ' ') + "^";
}

[[noreturn]] inline void throw_not_a_name(std::string_view text, name_reading const& wrong) {
  throw invalid_argument(quoted(text) + " is not a device name: at column " +
                         std::to_string(wrong.column) + " expected " + std::string(wrong.expected) +
                         "\n" + marked(text, wrong.column));
}

constexpr device_name name_or_throw(std::string_view text, name_reading const& reading) {
  if (!reading.ok()) throw_not_a_name(text, reading);
  return reading.name;
}

}  // namespace detail

/// Reads the full form without throwing.
constexpr name_reading read_name(std::string_view text) noexcept {
  return detail::name_reader(text).full();
}

/// Reads the local form, `GPU:1` or `cpu:0`, without throwing.
constexpr name_reading read_local_name(std::string_view text) noexcept {
  return detail::name_reader(text).local();
}

/// The parts of a name in the full form. In a constant expression a wrong one does not compile.
/// Throws: invalid_argument with the text, the column and what was expected there.
/// Cost: linear, no allocation.
constexpr device_name parse_name(std::string_view text) {
  return detail::name_or_throw(text, read_name(text));
}

/// The parts of a name in the local form: no slash, type and index.
/// Throws: invalid_argument.
constexpr device_name parse_local_name(std::string_view text) {
  return detail::name_or_throw(text, read_local_name(text));
}

namespace detail {

template <class Text> constexpr void append_number(Text& text, std::string_view label, int value) {
  char digits[10]{};
  std::size_t first = sizeof digits;
  do digits[--first] = static_cast<char>('0' + value % 10);
  while ((value /= 10) != 0);
  text += label;
  text += std::string_view(digits + first, sizeof digits - first);
}

/// Appends the canonical form to a string, or to anything that takes `+= string_view`.
template <class Text> constexpr void append_name(Text& text, device_name const& name) {
  if (name.has_job()) {
    text += std::string_view("/job:");
    text += name.job;
  }
  if (name.has_replica()) append_number(text, "/replica:", name.replica);
  if (name.has_task()) append_number(text, "/task:", name.task);
  if (!name.has_type() && !name.has_index()) return;
  text += std::string_view("/device:");
  text += name.has_type() ? name.type : std::string_view("*");
  if (name.has_index()) append_number(text, ":", name.index);
  else text += std::string_view(":*");
}

}  // namespace detail

/// The canonical form: job, replica, task, device; what is not said is left out, and a type without
/// an index prints ":*". Parsing it gives the same name again.
constexpr std::string to_string(device_name const& name) {
  std::string text;
  detail::append_name(text, name);
  return text;
}

/// Whether `more` says all that `less` says, and the same: "/GPU:*" is a specification of "/GPU:1".
constexpr bool is_specification(device_name const& less, device_name const& more) noexcept {
  return (!less.has_job() || less.job == more.job) &&
         (!less.has_replica() || less.replica == more.replica) &&
         (!less.has_task() || less.task == more.task) &&
         (!less.has_type() || less.type == more.type) &&
         (!less.has_index() || less.index == more.index);
}

/// Whether one device could have both names: no part is said differently.
constexpr bool is_compatible(device_name const& a, device_name const& b) noexcept {
  return (!a.has_job() || !b.has_job() || a.job == b.job) &&
         (!a.has_replica() || !b.has_replica() || a.replica == b.replica) &&
         (!a.has_task() || !b.has_task() || a.task == b.task) &&
         (!a.has_type() || !b.has_type() || a.type == b.type) &&
         (!a.has_index() || !b.has_index() || a.index == b.index);
}

/// Whether both names say job, replica and task, and the same ones.
constexpr bool same_address_space(device_name const& a, device_name const& b) noexcept {
  return a.has_job() && a.has_replica() && a.has_task() && a.job == b.job &&
         a.replica == b.replica && a.task == b.task;
}

namespace detail {

/// What a merge does when both names say a type, or an index, and not the same.
enum class on_clash { refuse, drop, take_other };

[[noreturn]] inline void throw_clash(std::string_view parts, device_name const& a,
                                     device_name const& b) {
  throw invalid_argument("Cannot merge devices with incompatible " + std::string(parts) + ": '" +
                         to_string(a) + "' and '" + to_string(b) + "'");
}

/// `a` with the job, replica and task of `b` filled in; these never give way.
constexpr device_name merge_task(device_name const& a, device_name const& b) {
  if (a.has_job() && b.has_job() && a.job != b.job) throw_clash("jobs", a, b);
  if (a.has_replica() && b.has_replica() && a.replica != b.replica) throw_clash("replicas", a, b);
  if (a.has_task() && b.has_task() && a.task != b.task) throw_clash("tasks", a, b);
  device_name merged = a;
  if (!merged.has_job()) merged.job = b.job;
  if (!merged.has_replica()) merged.replica = b.replica;
  if (!merged.has_task()) merged.task = b.task;
  return merged;
}

constexpr device_name merge(device_name const& a, device_name const& b, on_clash rule) {
  device_name merged = merge_task(a, b);
  if (a.has_type() && b.has_type() && a.type != b.type) {
    if (rule == on_clash::refuse) throw_clash("types", a, b);
    if (rule == on_clash::drop) {
      merged.type = {};
      merged.index = device_name::unset;
      return merged;
    }
  }
  if (b.has_type()) merged.type = b.type;
  if (a.has_index() && b.has_index() && a.index != b.index) {
    if (rule == on_clash::refuse) throw_clash("ids", a, b);
    merged.index = rule == on_clash::drop ? device_name::unset : b.index;
    return merged;
  }
  if (b.has_index()) merged.index = b.index;
  return merged;
}

}  // namespace detail

/// Both names together. Throws: invalid_argument naming the part and both names where they clash.
constexpr device_name merge_strict(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::refuse);
}

/// Both names together; a type clash drops type and index, an index clash drops the index.
/// Throws: invalid_argument if job, replica or task clash.
constexpr device_name merge_soft(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::drop);
}

/// Both names together; the type and the index of `b` win.
/// Throws: invalid_argument if job, replica or task clash.
constexpr device_name merge_override(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::take_other);
}

/// `a`, with what it leaves unsaid taken from `b`.
constexpr device_name merge_unset(device_name const& a, device_name const& b) noexcept {
  return {a.has_job() ? a.job : b.job, a.has_replica() ? a.replica : b.replica,
          a.has_task() ? a.task : b.task, a.has_type() ? a.type : b.type,
          a.has_index() ? a.index : b.index};
}

/// The name in force inside nested scopes: inner wins part by part, and an inner type resets the
/// index: "/GPU:1" around "/device:CPU" is "/device:CPU:*". An inner name that says nothing changes
/// nothing.
constexpr device_name nest(device_name const& outer, device_name const& inner) noexcept {
  device_name merged = merge_unset(inner, outer);
  if (inner.has_type()) merged.index = inner.index;
  return merged;
}

}  // namespace placement::inline v0_1
