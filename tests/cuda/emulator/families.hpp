#pragma once
/// The families of instructions. Each function decodes one instruction, and returns false if its
/// family does not have that name. Some throw unknown_ptx.

#include "decoder.hpp"

namespace ptx {

bool decode_float(decoder& d, statement& s, std::string_view type);
bool decode_integer(decoder& d, statement& s, std::string_view type);
bool decode_memory(decoder& d, statement& s);
bool decode_move(decoder& d, statement& s);
bool decode_warp(decoder& d, statement& s);

}  // namespace ptx
