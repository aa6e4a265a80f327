/// A tensor of more than 2^31 elements goes to another task, and comes back in a read. Needs 9 GB
/// of memory.
#include <placement/mpi.hpp>

#include <cstdint>
#include <cstdio>

namespace pl = placement;

int main(int argc, char** argv) {
  try {
    pl::tasks const all(pl::mpi{argc, argv});
    constexpr pl::index_t n = (pl::index_t{1} << 31) + 5;
    using bytes = pl::tensor<signed char, pl::dextents<1>>;
    bytes x = pl::on("/task:0/cpu:0",
                     pl::cast<signed char>(pl::iota(n, std::int64_t{0}) % std::int64_t{101}));
    x = pl::copy_to("/task:1/cpu:0", x);
    bytes const end = pl::on("/task:1/cpu:0", pl::slice(x, pl::range(n - 3, n)));
    auto const h = end.read();
    bool right = true;
    for (pl::index_t i = 0; i != 3; ++i) right = right && h(i) == (n - 3 + i) % 101;
    x = pl::copy_to("/cpu:0", x);
    right = right && x(n - 1) == (n - 1) % 101 && x(12345) == 12345 % 101;
    pl::at_chief([&] { std::printf("%s, %zu elements\n", right ? "right" : "wrong", x.size()); });
    return right ? 0 : 1;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
