#pragma once
/// Names that users give to ops, stored once per process: a node holds a number.

#include <cstdint>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// A user's name for an op; 0 = none.
enum class label : std::uint32_t { none = 0 };

/// The label of a text. Cost: linear in the number of different labels.
label label_of(std::string_view text);

/// The text of a label; empty for none. The text lives for ever.
std::string_view to_string(label l);

}}  // namespace placement::v0_1
