#pragma once
/// Device tags from literals: `"/gpu:1"_dev` is `gpu<1>`.

#include <placement/device/device.hpp>
#include <placement/device/parse_name.hpp>
#include <placement/device/tag.hpp>

#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// A string literal as a template argument.
template <std::size_t N> struct literal {
  char text[N]{};
  consteval literal(char const (&s)[N]) {
    for (std::size_t i = 0; i != N; ++i) text[i] = s[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// The result of parsing a device literal, without its text.
struct literal_device {
  bool is_pytorch = false;  ///< "cuda:1"
  bool is_name = false;
  bool is_here = false;  ///< a CPU or GPU of this process
  device id;
};

constexpr literal_device read_literal(std::string_view text) noexcept {
  if (is_pytorch_gpu(text)) return {.is_pytorch = true, .id = {}};
  auto const [name, column, expected] = read_either_form(text);
  if (column != 0) return {};
  kind const type = name.type == "CPU" ? kind::cpu : name.type == "GPU" ? kind::gpu : kind::any;
  bool const known = !name.has_type() || type != kind::any;
  return {.is_name = true,
          .is_here = is_this_task(name) && known,
          .id = {type, name.has_index() ? name.index : any_index}};
}

}  // namespace detail

namespace literals {

/// `"/gpu:0"_dev` and `"gpu:0"_dev` are the tag `gpu<0>`; `"/device:GPU:*"_dev` leaves the index
/// open. A text that is not a device name, or names a device of another process, does not compile.
template <detail::literal Text> consteval auto operator""_dev() {
  // The copy is for g++ 12 with UBSan, which cannot read the template argument itself.
  constexpr detail::literal_device found = [] {
    auto text = Text;
    return detail::read_literal(text.view());
  }();
  static_assert(!found.is_pytorch,
                "placement: \"cuda:1\" is PyTorch's name of a GPU. Write \"/gpu:1\"_dev.");
  static_assert(found.is_name || found.is_pytorch,
                "placement: this literal is not a device name. Write one such as \"/gpu:0\"_dev, "
                "\"/cpu:0\"_dev or \"/device:GPU:*\"_dev.");
  static_assert(!found.is_name || found.is_here,
                "placement: a device literal names a CPU or GPU of this process. Leave job, "
                "replica and task out, or give the name to with_device at run time.");
  return dev<found.id.type, found.id.index>{};
}

}  // namespace literals

}}  // namespace placement::v0_1
