// Parsing of visible device lists.
#include <placement/device/simulated.hpp>
#include <placement/device/visibility.hpp>

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace placement;

namespace {

using indexes = std::vector<int>;

/// The GPUs that CUDA_VISIBLE_DEVICES selects from `count` GPUs.
indexes seen(std::optional<std::string> const& text, int count = 4) {
  std::vector<std::string> uuids;
  for (int i = 0; i != count; ++i) uuids.push_back(detail::simulated_uuid(i));
  return visible_by_environment(text, uuids);
}

std::string message_of(std::string_view list) {
  try {
    (void)visible_by_list(list, 4);
  } catch (invalid_argument const& e) { return e.what(); }
  return {};
}

}  // namespace

TEST_CASE("CUDA_VISIBLE_DEVICES that is not set selects all GPUs") {
  CHECK(seen(std::nullopt) == indexes{0, 1, 2, 3});
  CHECK(seen(std::nullopt, 0).empty());
}

TEST_CASE("CUDA_VISIBLE_DEVICES that is empty or -1 selects none") {
  CHECK(seen("").empty());
  CHECK(seen("-1").empty());
  CHECK(seen("-1,0").empty());
}

TEST_CASE("CUDA_VISIBLE_DEVICES selects GPUs in its own order") {
  CHECK(seen("0") == indexes{0});
  CHECK(seen("1,2") == indexes{1, 2});
  CHECK(seen("3,0,2") == indexes{3, 0, 2});
  CHECK(seen(" 1 , 2 ") == indexes{1, 2});
  CHECK(seen("+1") == indexes{1});
  CHECK(seen("1gpu2,2ampere") == indexes{1, 2});
}

TEST_CASE("the first invalid index in CUDA_VISIBLE_DEVICES ends the list") {
  CHECK(seen("0,4,1") == indexes{0});
  CHECK(seen("0,-1,1") == indexes{0});
  CHECK(seen("1,,2") == indexes{1});
  CHECK(seen("1,x,2") == indexes{1});
  CHECK(seen(",1").empty());
  CHECK(seen("4").empty());
  CHECK(seen("2,") == indexes{2});
}

TEST_CASE("huge numbers in CUDA_VISIBLE_DEVICES never wrap") {
  for (auto text : {"4294967296", "4294967297", "18446744073709551616", "18446744073709551617",
                    "100000000000000000000000000000000000000000", "2147483648"}) {
    INFO(text);
    CHECK(seen(text).empty());
    CHECK(seen(std::string("2,") + text + ",1") == indexes{2});
  }
  CHECK(seen("000000000000000000000000000000000000000001") == indexes{1});
}

TEST_CASE("a duplicate GPU in CUDA_VISIBLE_DEVICES selects none, as in CUDA") {
  CHECK(seen("0,0").empty());
  CHECK(seen("1,2,1").empty());
  CHECK(seen("1,01").empty());
  CHECK(seen("GPU-51000000-0000-0000-0000-000000000001,GPU-51000000-0000-0000-0000-000000000001")
            .empty());
}

TEST_CASE("CUDA_VISIBLE_DEVICES accepts a prefix of a UUID that matches one GPU") {
  std::vector<std::string> const uuids = {"GPU-aa11", "GPU-ab22", "GPU-b333"};
  auto const seen_of = [&uuids](std::string const& text) {
    return visible_by_environment(text, uuids);
  };
  CHECK(seen_of("GPU-ab") == indexes{1});
  CHECK(seen_of("GPU-b,GPU-aa") == indexes{2, 0});
  CHECK(seen_of("GPU-a").empty());
  CHECK(seen_of("GPU-").empty());
  CHECK(seen_of("GPU-b333x").empty());
  CHECK(seen_of("GPU-b,GPU-a,GPU-aa") == indexes{2});
  CHECK(seen_of("GPU-b,0") == indexes{2});
  CHECK(seen_of("0,GPU-b") == indexes{0});
  CHECK(seen_of("MIG-b").empty());
}

TEST_CASE("a visible device list selects GPUs in its own order") {
  CHECK(visible_by_list("1,2", 4) == indexes{1, 2});
  CHECK(visible_by_list("3", 4) == indexes{3});
  CHECK(visible_by_list(" 2 , 0 ", 4) == indexes{2, 0});
  CHECK(visible_by_list("", 3) == indexes{0, 1, 2});
  CHECK(visible_by_list("", 0).empty());
}

TEST_CASE("an invalid index in a visible device list is an error") {
  CHECK(message_of("9") == "Invalid visible device index: 9");
  CHECK(message_of("0,4") == "Invalid visible device index: 4");
  CHECK(message_of("18446744073709551617") == "Invalid visible device index: 18446744073709551617");
  CHECK(message_of(std::string(1000, '9')).size() < 200);
}

TEST_CASE("a duplicate in a visible device list is an error that names it") {
  CHECK(message_of("1,2,1") ==
        "Visible device list '1,2,1' contains a duplicate entry: /physical_device:GPU:1");
}

TEST_CASE("a malformed visible device list is an error") {
  CHECK(message_of("1,x") ==
        "Could not parse entry in visible device list '1,x': 'x'. Give indexes separated by "
        "commas, as in '1,2'");
  for (auto text : {",", "1,", "-1", "+1", "1 2", "all", "GPU-5"}) {
    INFO(text);
    CHECK(message_of(text).starts_with("Could not parse entry in visible device list"));
  }
}
