#pragma once
/// Where an error arose: the op, and the line of the program.

#include <placement/error.hpp>
#include <placement/place/site.hpp>

#include <string>
#include <string_view>

namespace placement::inline v0_1::detail {

/// " In MatMul at train.cpp:12.", to append to a message; " In MatMul." or " At train.cpp:12."
/// where the other is not known. A line that `at` does not know is the innermost scope's.
template <class Once = void> std::string location_text(std::string_view op, site at);

/// Appends it to the message of e, which keeps its type.
template <class Once = void>
[[gnu::cold, gnu::noinline]] void add_location(shape_error& e, std::string_view op, site at);

/// In a handler of what an op's shape rule throws: throws it again, a shape_error with the
/// location, the failure of the host's heap as out_of_memory.
template <class Once = void>
[[noreturn, gnu::cold, gnu::noinline]] void rethrow_from_rule(std::string_view op, site at);

}  // namespace placement::inline v0_1::detail
