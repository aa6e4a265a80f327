#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

namespace pl = placement;

TEST_CASE("a file that only declares the library computes, copies and counts as any other") {
  auto const before = pl::copies_between(pl::cpu0, pl::gpu0).copies;
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  pl::tensor b = pl::on(pl::gpu0, a + a * 2.f);
  CHECK(a.where() == pl::gpu0);
  CHECK(b.where() == pl::gpu0);
  CHECK(b.read()(1, 1) == 12.f);
  CHECK(pl::copies_between(pl::cpu0, pl::gpu0).copies == before + 1);
}

TEST_CASE("a file that only declares the library reports errors as any other") {
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  CHECK_THROWS_AS(pl::evaluate(pl::on("/gpu:7", a + a), pl::hard_placement{}), pl::placement_error);
  CHECK_THROWS_AS(pl::properties({pl::kind::gpu, 7}), pl::placement_error);
  CHECK(pl::to_string(pl::device_spec::of(pl::parse_name("/job:worker/task:1/gpu:0"))) ==
        "/job:worker/task:1/device:GPU:0");
}
