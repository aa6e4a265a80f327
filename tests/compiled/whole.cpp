// A file with all definitions, in a program whose other files only declare them.
#undef PLACEMENT_COMPILED
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

namespace pl = placement;

TEST_CASE("a file with all definitions and one with declarations share devices and figures") {
  auto const before = pl::copies_between(pl::cpu0, pl::gpu0).copies;
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  pl::tensor b = pl::on(pl::gpu0, a * a);
  CHECK(b.where() == pl::gpu0);
  CHECK(b.read()(1, 1) == 16.f);
  CHECK(pl::copies_between(pl::cpu0, pl::gpu0).copies == before + 1);
}
