// Tiles of convolutions for each processor that this machine can be.
#include <placement/cpu/conv2d_tile.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <vector>

using namespace placement;

namespace {

template <class S> S number(std::size_t i) {
  return static_cast<S>(static_cast<int>(i * 7 % 11) - 5);
}

/// Each tile, with one run of three steps and one more, against loops.
template <class S> std::string wrong_tile(detail::conv2d_tiles<S> const& tiles) {
  index_t const lanes = tiles.lanes;
  std::vector<S> x(100), w(1000), out(1000);
  for (std::size_t i = 0; i != x.size(); ++i) x[i] = number<S>(i);
  for (std::size_t i = 0; i != w.size(); ++i) w[i] = number<S>(i + 3);
  index_t const run[] = {0, 20};
  for (index_t vectors = 1; vectors <= tiles.vectors; ++vectors)
    for (index_t rows = 1; rows <= tiles.rows_of(vectors); ++rows)
      for (index_t channels : {vectors * lanes, vectors * lanes - 1, (vectors - 1) * lanes + 1})
        for (bool const adds : {false, true}) {
          index_t const width = vectors * lanes;
          for (S& s : out) s = S{100};
          tiles.compute({.out = out.data(),
                         .out_step = width,
                         .out_vector = lanes,
                         .x = x.data(),
                         .x_list = 1,
                         .x_run = 0,
                         .x_next = 2,
                         .x_step = 3,
                         .w = w.data(),
                         .w_list = 0,
                         .w_run = 3 * width,
                         .w_next = width,
                         .w_step = lanes,
                         .run = run,
                         .runs = 2,
                         .length = 3,
                         .channels = channels,
                         .adds = adds},
                        vectors, rows);
          for (index_t p = 0; p != rows; ++p)
            for (index_t c = 0; c != width; ++c) {
              S sum{};
              for (index_t r = 0; r != 2; ++r)
                for (index_t k = 0; k != 3; ++k)
                  sum += x[static_cast<std::size_t>(run[r] + 2 * k + 3 * p)] *
                         w[static_cast<std::size_t>((r * 3 + k) * width + c)];
              if (adds) sum += 100;
              else if (c >= channels) sum = 100;  // stays as it was
              if (out[static_cast<std::size_t>(p * width + c)] != sum)
                return std::to_string(rows) + " rows of " + std::to_string(vectors) +
                       " vectors, channel " + std::to_string(c) + " of " + std::to_string(channels);
            }
        }
  return {};
}
/// Transposes to vectors, which are `step` elements apart, and back.
template <class S>
std::string wrong_transpose(detail::conv2d_tiles<S> const& tiles, index_t const step) {
  index_t const n = 37, pitch = 41;
  std::vector<S> rows(static_cast<std::size_t>(tiles.lanes * pitch)),
      vectors(static_cast<std::size_t>(step * n), S{-1}), again(rows.size());
  for (std::size_t i = 0; i != rows.size(); ++i) rows[i] = static_cast<S>(i);
  tiles.to_vectors({rows.data(), vectors.data(), pitch, n, step});
  tiles.from_vectors({again.data(), vectors.data(), pitch, n, step});
  for (index_t k = 0; k != n; ++k)
    for (index_t i = tiles.lanes; i != step; ++i)
      if (vectors[static_cast<std::size_t>(k * step + i)] != S{-1}) return "between vectors";
  for (index_t i = 0; i != tiles.lanes; ++i)
    for (index_t k = 0; k != n; ++k) {
      S const expected = rows[static_cast<std::size_t>(i * pitch + k)];
      if (vectors[static_cast<std::size_t>(k * step + i)] != expected) return "to vectors";
      if (again[static_cast<std::size_t>(i * pitch + k)] != expected) return "from vectors";
    }
  return {};
}
template <class Processor> void check_tiles() {
  CHECK(wrong_tile(detail::tiles_of<Processor, float>) == "");
  CHECK(wrong_tile(detail::tiles_of<Processor, double>) == "");
  for (index_t const between : {0, 3}) {
    auto const floats = detail::tiles_of<Processor, float>;
    auto const doubles = detail::tiles_of<Processor, double>;
    CHECK(wrong_transpose(floats, floats.lanes + between) == "");
    CHECK(wrong_transpose(doubles, doubles.lanes + between) == "");
  }
}

}  // namespace

TEST_CASE("tiles of convolutions equal loops, for each processor") {
  check_tiles<detail::baseline_processor>();
  if constexpr (PLACEMENT_HAS_LEVELS && PLACEMENT_X86_LEVEL == 1) {
    if (PLACEMENT_PROCESSOR_HAS("avx2") && PLACEMENT_PROCESSOR_HAS("fma"))
      check_tiles<detail::avx2_processor>();
    if (PLACEMENT_PROCESSOR_HAS("avx512f")) check_tiles<detail::avx512_processor>();
  }
}
