#pragma once
/// The constexpr parser of device names, such as "/job:worker/task:1/device:GPU:0".
///
/// ```
///     name := "" | "/" | part+        parts in any order, each at most once
///     part := "/job:" (JOB|"*") | "/replica:" (NUM|"*") | "/task:" (NUM|"*") |
///             "/device:" (TYPE|"*") [":" (NUM|"*")] | ("/cpu:"|"/gpu:" in any case) (NUM|"*")
///     JOB, TYPE := letter (letter|digit|"_")*        NUM := decimal digits, at most 2^31-1
/// ```
///
/// "*" leaves a part unset. The parser is stricter than TensorFlow's, which accepts the following
/// and changes their meaning: a number above 2^31-1, a repeated part, an index without a type.
/// These are errors here. A canonical form of more than 4096 characters is also an error, as it
/// could not be parsed again.

#include <placement/device/name.hpp>
#include <placement/runtime/parse.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// The result of reading a name: the name, or the column of the first error and the expected text
/// there.
struct name_reading {
  device_name name;
  std::size_t column = 0;     ///< of the first wrong character, from 1; 0 = no error
  std::string_view expected;  ///< at that column

  constexpr bool ok() const noexcept { return column == 0; }
};

namespace detail {

/// A single-pass parser from left to right. Keeps the first error.
class name_reader {
 public:
  constexpr explicit name_reader(std::string_view text) noexcept : text_(text) {}

  /// Reads the full form.
  constexpr name_reading full() noexcept {
    if (text_.size() > longest_device_name) return fail_at(longest_device_name, too_long).result();
    if (text_.empty() || text_ == "/") return result();
    while (ok() && !at_end()) read_part();
    check_canonical_length();
    return result();
  }

  /// Reads the local form: TYPE ":" NUM.
  constexpr name_reading local() noexcept {
    if (text_.size() > longest_device_name) return fail_at(longest_device_name, too_long).result();
    found_.name.type = canonical_type(word("a device type, as in GPU:0"));
    if (ok() && !accept(":")) fail("':' and an index, as in GPU:0");
    if (ok()) found_.name.index = number("a decimal index of at most 2147483647");
    if (ok() && !at_end()) fail("the end of the name");
    check_canonical_length();
    return result();
  }

 private:
  static constexpr std::string_view too_long =
      "the end of the name: it has at most 4096 characters";
  static constexpr std::string_view a_number = "a decimal number of at most 2147483647, or '*'";

  /// A canonical form is at most "/device:" longer than its text, as for "x:1". So short texts need
  /// no check.
  constexpr void check_canonical_length() noexcept {
    if (!ok() || text_.size() + std::string_view("/device:").size() <= longest_device_name) return;
    if (canonical_length(found_.name) > longest_device_name)
      fail("a shorter name: the canonical form has at most 4096 characters");
  }

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

  constexpr bool accept(std::string_view what) noexcept {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  constexpr bool accept_any_case(std::string_view what) noexcept {
    if (!equal_ignoring_case(text_.substr(at_, what.size()), what)) return false;
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
    return accept("*") ? std::string_view{} : word(expected);
  }

  constexpr int number(std::string_view expected) noexcept {
    std::size_t const start = at_;
    while (!at_end() && is_digit(text_[at_])) ++at_;
    auto const value = parse_decimal(text_.substr(start, at_ - start));
    if (value && *value <= 2147483647) return static_cast<int>(*value);
    fail_at(start, expected);
    return device_name::unset;
  }
  constexpr int number_or_any() noexcept {
    return accept("*") ? device_name::unset : number(a_number);
  }

  constexpr void once(bool& seen, std::size_t part, std::string_view expected) noexcept {
    if (seen) fail_at(part, expected);
    seen = true;
  }

  /// Reads one part, from its '/' to the next one.
  constexpr void read_part() noexcept {
    std::size_t const part = at_;
    device_name& name = found_.name;
    if (accept("/job:")) {
      once(job_seen_, part, "only one job");
      name.job = word_or_any("a job (a letter, then letters, digits or '_'), or '*'");
    } else if (accept("/replica:")) {
      once(replica_seen_, part, "only one replica");
      name.replica = number_or_any();
    } else if (accept("/task:")) {
      once(task_seen_, part, "only one task");
      name.task = number_or_any();
    } else if (accept("/device:")) {
      once(device_seen_, part, "only one device");
      read_device();
    } else if (accept_any_case("/cpu:") || accept_any_case("/gpu:")) {
      once(device_seen_, part, "only one device");
      name.type = canonical_type(text_.substr(part + 1, 3));
      name.index = number_or_any();
    } else if (accept("/")) {
      fail("one of job: replica: task: device: cpu: gpu:");
    } else {
      fail(part == 0 ? "'/' before the first part, as in /GPU:0" : "'/' or the end of the name");
    }
  }

  /// Reads the part after "/device:".
  constexpr void read_device() noexcept {
    found_.name.type = canonical_type(
        word_or_any("a device type (a letter, then letters, digits or '_'), or '*'"));
    std::size_t const colon = at_;
    if (!ok() || !accept(":")) return;
    found_.name.index = number_or_any();
    if (!found_.name.has_type() && found_.name.has_index())
      fail_at(colon, "no index, because the type is '*'");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool job_seen_ = false, replica_seen_ = false, task_seen_ = false, device_seen_ = false;
  name_reading found_;
};

[[noreturn]] void throw_not_a_name(std::string_view text, name_reading const& wrong);

constexpr device_name name_or_throw(std::string_view text, name_reading const& reading) {
  if (!reading.ok()) throw_not_a_name(text, reading);
  return reading.name;
}

/// A temporary std::string, as S of S&& is deduced. The parts of a name would be dangling views of
/// it.
template <class S> concept temporary_string = std::same_as<std::remove_const_t<S>, std::string>;

/// Reads a name in either form, as programs give it.
constexpr name_reading read_either_form(std::string_view text) noexcept {
  name_reader reader(text);
  return text.empty() || text.starts_with('/') ? reader.full() : reader.local();
}

/// Whether the text is PyTorch's name of a GPU: "cuda" or "cuda:1".
constexpr bool is_pytorch_gpu(std::string_view text) noexcept {
  name_reading const reading = name_reader(text).local();
  return equal_ignoring_case(text, "cuda") ||
         (reading.ok() && equal_ignoring_case(reading.name.type, "cuda"));
}

}  // namespace detail

/// Reads the full form without throwing. The parts are views of the text.
constexpr name_reading read_name(std::string_view text) noexcept {
  return detail::name_reader(text).full();
}

/// Reads the local form, `GPU:1` or `cpu:0`, without throwing.
constexpr name_reading read_local_name(std::string_view text) noexcept {
  return detail::name_reader(text).local();
}

/// The parts of a name in the full form, as views of the text. An invalid name in a constant
/// expression does not compile. Throws: invalid_argument with the text, the column and the expected
/// text there. Cost: linear, no allocation.
constexpr device_name parse_name(std::string_view text) {
  return detail::name_or_throw(text, read_name(text));
}
template <detail::temporary_string S> device_name parse_name(S&& text) = delete;

/// The parts of a name in the local form: type and index, without a slash.
/// Throws: invalid_argument.
constexpr device_name parse_local_name(std::string_view text) {
  return detail::name_or_throw(text, read_local_name(text));
}
template <detail::temporary_string S> device_name parse_local_name(S&& text) = delete;

}}  // namespace placement::v0_1
