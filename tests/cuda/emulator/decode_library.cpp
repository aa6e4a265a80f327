// Calls of the functions of CUDA's library in device code: `__assertfail` of assert(), and
// `vprintf` of printf().
#include "decoder.hpp"

#include "access.hpp"

#include <algorithm>
#include <cstdio>

namespace ptx {

namespace {

/// A string of the program, in the kernel's memory.
std::string string_at(block& b, instruction const& i, u64 address, int lane) {
  std::string s;
  for (;; ++address) {
    u8 const c = *b.access(i, address, 1, false, lane);
    if (c == 0) return s;
    s += static_cast<char>(c);
  }
}
/// Operands: the expression, the file, the line, the function
void fail_assertion(block& b, instruction const& i, lane_mask mask) {
  int const lane = std::countr_zero(mask);
  auto const text = [&](int n) { return string_at(b, i, b.at<u64>(i.from[n])[lane], lane); };
  std::string const place = text(1) + ":" + std::to_string(b.at<u32>(i.from[2])[lane]);
  b.fail(fault::kind::assertion, i, lane,
         place + ": " + text(3) + ": assertion " + text(0) + " failed");
}

/// The arguments of a printf, side by side, each aligned to its size.
class printed_arguments {
 public:
  printed_arguments(block& b, instruction const& i, u64 address, int lane)
      : b_(b), i_(i), address_(address), lane_(lane) {}
  template <class T> T next() {
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, b_.access(i_, address_, sizeof(T), false, lane_), sizeof(T));
    address_ += sizeof(T);
    return value;
  }
  std::string next_string() { return string_at(b_, i_, next<u64>(), lane_); }

 private:
  block& b_;
  instruction const& i_;
  u64 address_;
  int lane_;
};
template <class T> std::string printed(std::string const& format, T value) {
  int const length = std::snprintf(nullptr, 0, format.c_str(), value);
  std::string text(static_cast<std::size_t>(std::max(length, 0)) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}
/// One conversion, such as "%-8.3f". `from` has the arguments, also those for `*`.
std::string converted_argument(std::string format, printed_arguments& from) {
  for (std::size_t star; (star = format.find('*')) != format.npos;)
    format.replace(star, 1, std::to_string(from.next<s32>()));
  char const c = format.back();
  bool const wide = format.find_first_of("lzjt") != format.npos;
  if (c == '%') return "%";
  if (c == 's') return printed(format, from.next_string().c_str());
  if (c == 'p') return printed(format, reinterpret_cast<void*>(from.next<u64>()));
  if (std::string_view("aAeEfFgG").find(c) != std::string_view::npos)
    return printed(format, from.next<double>());
  return wide ? printed(format, from.next<s64>()) : printed(format, from.next<s32>());
}
std::string formatted(std::string const& format, printed_arguments& from) {
  std::string all;
  for (std::size_t i = 0; i != format.size();) {
    std::size_t const end =
        format[i] == '%' ? format.find_first_of("%diuoxXcspaAeEfFgG", i + 1) : format.npos;
    if (end == format.npos) {
      all += format[i++];
      continue;
    }
    all += converted_argument(format.substr(i, end + 1 - i), from);
    i = end + 1;
  }
  return all;
}
/// Operands: the format, and the address of the arguments
void print(block& b, instruction const& i, lane_mask mask) {
  each_lane(mask, [&](int lane) {
    printed_arguments arguments(b, i, b.at<u64>(i.from[1])[lane], lane);
    std::string const format = string_at(b, i, b.at<u64>(i.from[0])[lane], lane);
    std::string const text = formatted(format, arguments);
    std::fwrite(text.data(), 1, text.size(), b.of.output);
  });
}

}  // namespace

bool decoder::call_library(std::string_view name, std::vector<std::string_view> const& arguments) {
  bool const prints = name == "vprintf";
  if (!prints && name != "__assertfail") return false;
  u32 from[4]{};
  for (std::size_t n = 0; n != std::min<std::size_t>(arguments.size(), 4); ++n) {
    u8 const width = !prints && n == 2 ? 4 : 8;
    u32 const address = local_address(locals_.at(std::string(arguments[n])));
    from[n] = fresh(width);
    instruction& load_one = emit();
    load_one.to[0] = from[n], load_one.address = address;
    load_one.result = bytes_of_result::loaded;
    load_one.work = width == 4 ? load<u32> : load<u64>;
  }
  instruction& i = emit();
  std::copy(from, from + 4, i.from);
  i.work = prints ? print : fail_assertion;
  return true;
}

}  // namespace ptx
