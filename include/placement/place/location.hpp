#pragma once
/// The location of an error: the op, and the line of the program.

#include <placement/error.hpp>
#include <placement/place/label.hpp>
#include <placement/place/site.hpp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// " In MatMul at train.cpp:12.", to append to a message; " In MatMul." or " At train.cpp:12." if
/// only one is known. If `at` has no line, the innermost scope's line is used. The op's name begins
/// with the name scopes around the call, or is that of its node.
std::string location_text(std::string_view op, site at);
std::string location_text(std::string_view op, site at, label node);

/// Appends the location to the message of e, which keeps its type.
[[gnu::cold]] void add_location(shape_error& e, std::string_view op, site at);
[[gnu::cold]] void add_location(shape_error& e, std::string_view op, site at, label node);

/// Call in a handler of an exception from an op's shape rule: throws it again. A shape_error gets
/// the location; a std::bad_alloc of the host's heap becomes out_of_memory.
[[noreturn, gnu::cold]] void rethrow_from_rule(std::string_view op, site at);

}}}  // namespace placement::v0_1::detail
