// Fuzzes the reader of gzip-compressed IDX files: with the bytes themselves, and with the bytes
// compressed, so that the IDX header is reached too. The second form has an oracle: an accepted
// array matches its header exactly.
#include <mnist_towers/idx.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

namespace {

using bytes = std::vector<std::uint8_t>;

bytes compressed(std::span<std::uint8_t const> text) {
  z_stream z{};
  if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  bytes out(deflateBound(&z, text.size()));
  z.next_in = const_cast<std::uint8_t*>(text.data());
  z.avail_in = static_cast<unsigned>(text.size());
  z.next_out = out.data();
  z.avail_out = static_cast<unsigned>(out.size());
  if (deflate(&z, Z_FINISH) != Z_STREAM_END) std::abort();
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::optional<idx::array> parsed(std::span<std::uint8_t const> gz, std::size_t rank) {
  try {
    return idx::parse("input", gz, rank);
  } catch (idx::error const&) { return std::nullopt; }
}

/// Parses the header from its end to its start, with wide integers.
bool is_array(std::span<std::uint8_t const> text, std::size_t rank) {
  std::size_t const header = 4 + 4 * rank;
  if (text.size() < header || text[0] != 0 || text[1] != 0 || text[2] != 8 || text[3] != rank)
    return false;
  unsigned __int128 count = 1;
  for (std::size_t d = rank; d-- > 0;) {
    unsigned long long extent = 0;
    for (std::size_t i = 0; i != 4; ++i) extent = extent * 256 + text[4 + 4 * d + i];
    count *= extent;
  }
  return count != 0 && count == text.size() - header;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::size_t const rank = data[0] % 4;
  std::span<std::uint8_t const> const rest(data + 1, size - 1);

  parsed(rest, rank);

  bytes const gz = compressed(rest);
  std::optional<idx::array> const a = parsed(gz, rank);
  if (a.has_value() != is_array(rest, rank)) std::abort();
  if (a &&
      bytes(rest.begin() + static_cast<std::ptrdiff_t>(4 + 4 * rank), rest.end()) != a->elements)
    std::abort();
  return 0;
}
