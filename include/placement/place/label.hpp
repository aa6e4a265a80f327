#pragma once
/// Names that users give to ops, kept once for the process: a node carries a number.

#include <placement/version.hpp>

#include <cstdint>
#include <string_view>

namespace placement::inline v0_1 {

/// A user's name for an op; 0 = none.
enum class label : std::uint32_t { none = 0 };

/// The label with this text. Cost: linear in the number of different labels.
template <class Once = void> label label_of(std::string_view text);

/// Its text; empty for none. Valid for ever.
template <class Once = void> std::string_view to_string(label l);

}  // namespace placement::inline v0_1
