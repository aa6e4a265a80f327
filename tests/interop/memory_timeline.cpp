// The page of a memory timeline: its data, its form, and its file.
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <placement/interop/memory_timeline.hpp>
#include <placement/memory/allocation_log.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

constexpr std::size_t mib = 1 << 20;
constexpr call_site add_site{"Add", "a.cpp", 1}, mul_site{"Mul", "a.cpp", 2};

memory_event held(memory_action action, std::size_t size, call_site who, device d = gpu0) {
  return {action, d, size, who};
}

/// Ten columns of one second each.
memory_history ten_seconds_of(std::vector<std::pair<int, memory_event>> const& events) {
  detail::memory_history_builder builder(1000);
  for (auto const& [second, e] : events) builder.add(second * 1'000'000'000ll, e);
  return builder.take(10'000'000'000ll);
}

detail::memory_lane only_lane(memory_history const& h) {
  auto lanes = detail::memory_lanes_of(h, 10);
  REQUIRE(lanes.size() == 1);
  return lanes[0];
}

using columns = std::vector<std::vector<std::size_t>>;

/// Whether each element that is opened is closed, in order. Elements without an end: meta.
bool is_well_formed(std::string const& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) {
    std::size_t const end = html.find('>', at);
    if (end == html.npos) return false;
    std::string const tag = html.substr(at + 1, end - at - 1);
    std::string const name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '!' || name == "meta" || tag.back() == '/') continue;
    if (tag[0] != '/') {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("a lane has what each call site held in each column") {
  using enum memory_action;
  auto const lane = only_lane(ten_seconds_of({{0, held(reserve, 64, {})},
                                              {1, held(allocate, 10, add_site)},
                                              {3, held(allocate, 30, mul_site)},
                                              {5, held(free, 10, add_site)},
                                              {7, held(free, 30, mul_site)}}));
  CHECK(lane.where == gpu0);
  CHECK(lane.peak == 40);
  CHECK(lane.most_reserved == 64);
  REQUIRE(lane.holders.size() == 2);
  CHECK(lane.holders[0].at_peak == 30);  // Mul
  CHECK(lane.holders[1].at_peak == 10);
  // In the column of a free the state before it is the larger one.
  CHECK(lane.columns == columns{{0, 0, 0},
                                {0, 10, 0},
                                {0, 10, 0},
                                {30, 10, 0},
                                {30, 10, 0},
                                {30, 10, 0},
                                {30, 0, 0},
                                {30, 0, 0},
                                {0, 0, 0},
                                {0, 0, 0}});
  CHECK(lane.reserved == std::vector<std::size_t>(10, 64));
}

TEST_CASE("a column shows the state in which the device held most") {
  using enum memory_action;
  std::vector<std::pair<int, memory_event>> events;
  for (int i = 0; i != 50; ++i) {
    events.emplace_back(4, held(allocate, 1000, add_site));
    events.emplace_back(4, held(free, 1000, add_site));
  }
  auto const lane = only_lane(ten_seconds_of(events));
  CHECK(lane.peak == 1000);
  CHECK(lane.holders[0].allocations == 50);
  CHECK(lane.columns[3] == std::vector<std::size_t>{0, 0});
  CHECK(lane.columns[4] == std::vector<std::size_t>{1000, 0});
  CHECK(lane.columns[5] == std::vector<std::size_t>{0, 0});
}

TEST_CASE("call sites beyond the ninth share an area") {
  std::vector<std::pair<int, memory_event>> events;
  for (unsigned i = 0; i != 12; ++i)
    events.emplace_back(0, held(memory_action::allocate, 100 - i, {"Add", "a.cpp", i}));
  auto const lane = only_lane(ten_seconds_of(events));
  CHECK(lane.shown == 9);
  CHECK(lane.holders.size() == 12);
  REQUIRE(lane.columns[0].size() == 10);
  CHECK(lane.columns[0][0] == 100);
  CHECK(lane.columns[0][9] == 91 + 90 + 89);
}

TEST_CASE("devices have lanes of their own, and failed requests are kept") {
  auto const h = ten_seconds_of({{1, held(memory_action::allocate, 8, add_site, gpu1)},
                                 {2, held(memory_action::allocate, 4, add_site, cpu0)},
                                 {3, held(memory_action::fail, 999, mul_site, gpu1)}});
  auto const lanes = detail::memory_lanes_of(h, 10);
  REQUIRE(lanes.size() == 2);
  CHECK(lanes[0].where == cpu0);
  CHECK(lanes[0].peak == 4);
  CHECK(lanes[1].where == gpu1);
  CHECK(lanes[1].peak == 8);
  REQUIRE(lanes[1].failures.size() == 1);
  CHECK(lanes[1].failures[0].column == 3);
  CHECK(lanes[1].failures[0].size == 999);
  CHECK(lanes[1].holders.size() == 1);
}

TEST_CASE("events beyond the limit are counted, and their frees change nothing") {
  detail::memory_history_builder builder(1);
  builder.add(0, held(memory_action::allocate, 5, add_site));
  builder.add(1, held(memory_action::allocate, 7, mul_site));
  memory_history h = builder.take(10);
  CHECK(h.samples.size() == 1);
  CHECK(h.dropped == 1);
  CHECK_THAT(to_html(h), ContainsSubstring("1 later events were dropped"));
  h.samples.push_back({5, 7, 0, memory_action::free});
  CHECK(only_lane(h).peak == 5);
}

TEST_CASE("a page is well-formed, escaped and needs no other file") {
  auto const h =
      ten_seconds_of({{1, held(memory_action::allocate, 3 * mib, {"Add", "<b>&.cpp", 7})},
                      {2, held(memory_action::reserve, 4 * mib, {})},
                      {3, held(memory_action::fail, 9 * mib, mul_site)}});
  std::string const page = to_html(h, "memory of <train>");
  CHECK_THAT(page, StartsWith("<!DOCTYPE html>"));
  CHECK(is_well_formed(page));
  CHECK_THAT(page, ContainsSubstring("<title>memory of &lt;train&gt;</title>") &&
                       ContainsSubstring("<h2>/GPU:0</h2>") &&
                       ContainsSubstring("Peak 3.0 MiB, reserved at most 4.0 MiB") &&
                       ContainsSubstring("Add at &lt;b&gt;&amp;.cpp:7: at most 3.0 MiB") &&
                       ContainsSubstring("no memory for 9.0 MiB: Mul at a.cpp:2"));
  CHECK_THAT(page, !ContainsSubstring("<script") && !ContainsSubstring("<link") &&
                       !ContainsSubstring("src=") && !ContainsSubstring("url("));
}

TEST_CASE("a history without events is a page that says so") {
  CHECK_THAT(to_html(memory_history{}), ContainsSubstring("No memory of a device was allocated."));
}

TEST_CASE("a timeline writes who held the memory of a GPU, also from before") {
  temporary_folder const folder;
  with_device const scope("/gpu:0");
  tensor<float, dextents<2>> const early = zeros<float>(512, 1024);
  {
    memory_timeline t(folder / "memory.html");
    tensor<float, dextents<2>> const late = early + 1.f;
    t.close();
    t.close();
  }
  std::string const page = folder.read("memory.html");
  CHECK(is_well_formed(page));
  CHECK_THAT(page, ContainsSubstring("<h2>/GPU:0</h2>\n<p>Peak 4.0 MiB"));
  CHECK_THAT(page, ContainsSubstring("Add") && ContainsSubstring("memory_timeline.cpp:"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\">2.0 MiB</td>"));
  CHECK(folder.count() == 1);
}

TEST_CASE("an allocation log and a timeline get the same events") {
  temporary_folder const folder;
  with_device const scope("/gpu:0");
  {
    allocation_log const log((folder / "log.csv").c_str());
    memory_timeline const t(folder / "memory.html");
    tensor<float, dextents<1>> const x = zeros<float>(1000);
  }
  CHECK_THAT(folder.read("log.csv"), ContainsSubstring("allocate,/GPU:0,"));
  CHECK_THAT(folder.read("memory.html"), ContainsSubstring("/GPU:0"));
}

TEST_CASE("there is one timeline at a time, and a path that cannot be written is an error") {
  temporary_folder const folder;
  memory_timeline const t(folder / "memory.html");
  CHECK_THROWS_AS(memory_timeline(folder / "other.html"), invalid_argument);
  CHECK_THROWS_AS(memory_timeline(folder / "missing/memory.html"), file_error);
  CHECK(folder.count() == 1);  // the temporary file of the first
}

TEST_CASE("a child of fork records nothing and writes no file") {
  temporary_folder const folder;
  memory_timeline t(folder / "memory.html");
  pid_t const child = ::fork();
  if (child == 0) {
    with_device const scope("/cpu:0");
    tensor<float, dextents<1>> const x = zeros<float>(1 << 19);
    t.close();
    ::_exit(folder.read("memory.html").empty() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  t.close();
  CHECK_THAT(folder.read("memory.html"), StartsWith("<!DOCTYPE html>"));
}
