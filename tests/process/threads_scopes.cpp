// gpus: 4
// Many threads at once: scopes, shared tensors, the log and the count of fallbacks. Also run under
// the thread sanitizer.
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace placement;

namespace {

/// Runs f(0) ... f(n - 1) each on a thread of its own and waits for all.
template <class F> void on_threads(int n, F f) {
  std::atomic<bool> go{false};
  std::vector<std::thread> running;
  for (int t = 0; t != n; ++t)
    running.emplace_back([&, t] {
      while (!go) std::this_thread::yield();
      f(t);
    });
  go = true;
  for (auto& each : running) each.join();
}

constexpr char const* names[] = {
    "/gpu:0",      "/gpu:1",        "/gpu:2",         "/gpu:3",      "/cpu:0", "",
    "/device:GPU", "/device:CPU:0", "/job:localhost", "/device:CPU", "GPU:2",  "/task:0/gpu:*"};

/// The request inside a scope of this name, by the rule for nesting.
device_spec expected_inside(device_spec outer, std::string_view name) {
  return nest(outer, detail::parse_device_spec(name));
}
device_spec requested_now() { return detail::requested_here().requested; }

/// Enters and leaves random scopes in every way. Counts deviations from the rule.
class scope_walk {
 public:
  explicit scope_walk(unsigned seed) : random_(seed) {}

  int mismatches = 0;
  int done = 0;

  void walk(device_spec outer, int depth, int max) {
    while (done < max) {
      ++done;
      check(outer);
      switch (random_() % 6) {
        case 0: return;
        case 1:
          if (depth > 0) throw std::runtime_error("leave");
          break;
        case 2: enter_device(outer, depth, max); break;
        case 3: enter_tag(outer, depth, max); break;
        default: enter_name(outer, depth, max); break;
      }
    }
  }

 private:
  void check(device_spec expected) { mismatches += !(requested_now() == expected); }

  void enter_name(device_spec outer, int depth, int max) {
    char const* const name = names[random_() % std::size(names)];
    device_spec const inside = expected_inside(outer, name);
    try {
      with_device const scope(name);
      check(inside);
      if (depth < 8) walk(inside, depth + 1, max);
      check(inside);
    } catch (std::runtime_error const&) {}
    check(outer);
  }
  void enter_device(device_spec outer, int depth, int max) {
    device const d{kind::gpu, static_cast<int>(random_() % 4)};
    device_spec const inside = nest(outer, device_spec{d});
    try {
      with_device const scope(d, hard_placement{});
      check(inside);
      if (depth < 8) walk(inside, depth + 1, max);
      check(inside);
    } catch (std::runtime_error const&) {}
    check(outer);
  }
  void enter_tag(device_spec outer, int depth, int max) {
    device_spec const inside = nest(outer, device_spec{device{kind::gpu, 2}});
    try {
      with_device const scope(gpu<2>);
      check(inside);
      if (depth < 8) walk(inside, depth + 1, max);
      check(inside);
    } catch (std::runtime_error const&) {}
    check(outer);
  }

  std::minstd_rand random_;
};

}  // namespace

TEST_CASE("64 threads do 10,000 random scope operations each, and none sees another's scope") {
  std::atomic<int> mismatches{0}, done{0};
  on_threads(64, [&](int t) {
    scope_walk walk(static_cast<unsigned>(t + 1));
    while (walk.done < 10000) walk.walk({}, 0, 10000);
    mismatches += walk.mismatches;
    done += walk.done;
    if (requested_now().has_value()) ++mismatches;
  });
  CHECK(mismatches == 0);
  CHECK(done == 64 * 10000);
}

TEST_CASE("one thread does 10,000 random scope operations") {
  scope_walk walk(1);
  while (walk.done < 10000) walk.walk({}, 0, 10000);
  CHECK(walk.mismatches == 0);
}

TEST_CASE("ops on many threads run on the device of each thread's scope") {
  vector<float> const x{1.f, 2.f};
  std::atomic<int> wrong{0};
  on_threads(8, [&](int t) {
    for (int i = 0; i != 200; ++i) {
      device const d{kind::gpu, (t + i) % 4};
      with_device const scope(d);
      vector<float> const y = relu(x) * static_cast<float>(t);
      wrong += !(y.where() == d) || y.read()(1) != 2 * static_cast<float>(t);
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("set_current_device is per thread") {
  std::atomic<int> wrong{0};
  on_threads(8, [&](int t) {
    wrong += current_device().has_value();
    device const d{kind::gpu, t % 4};
    set_current_device(d);
    for (int i = 0; i != 100; ++i) wrong += !(vector<float>(relu(vector<float>{1.f})).where() == d);
  });
  CHECK(wrong == 0);
  CHECK_FALSE(current_device().has_value());
}

TEST_CASE("threads that share a tensor's elements write to their own copies") {
  for (char const* where : {"/cpu:0", "/gpu:1"}) {
    with_device const scope(where);
    vector<float> const shared{1.f, 2.f, 3.f};
    std::atomic<int> wrong{0};
    on_threads(8, [&](int t) {
      with_device const mine(where);
      for (int i = 0; i != 200; ++i) {
        vector<float> x = shared;
        vector<float> y = x;
        x = x + static_cast<float>(t);
        slice(view(y), range{0, 1}) = static_cast<float>(i);
        wrong += x.read()(2) != 3 + static_cast<float>(t);
        wrong += y.read()(0) != static_cast<float>(i) || y.read()(2) != 3;
        wrong += shared.read()(0) != 1;
      }
    });
    CHECK(wrong == 0);
    CHECK(to_string(shared) == "[1 2 3]");
  }
}

TEST_CASE("the last of many threads to release a tensor frees its memory") {
  device const gpu{kind::gpu, 1};
  for (int round = 0; round != 50; ++round) {
    std::optional<vector<float>> x = copy_to(gpu, vector<float>{1.f, 2.f});
    std::vector<vector<float>> handles(8, *x);
    x.reset();
    on_threads(8, [&](int t) {
      vector<float> const mine = std::move(handles[static_cast<std::size_t>(t)]);
      for (int i = 0; i != 10000; ++i) vector<float> const again = mine;
      static_cast<void>(mine.read());
    });
    handles.clear();
    REQUIRE(memory_stats_of(gpu).allocations == 0);
  }
}

TEST_CASE("fallbacks of many threads are all counted, and each is printed once") {
  static std::atomic<int> lines{0};
  set_log_sink([](std::string_view line, void*) { lines += line.find("fallback") != line.npos; });
  vector<float> const x{1.f, 2.f};
  on_threads(8, [&](int) {
    for (unsigned i = 0; i != 100; ++i) vector<float> const y = next(x, {"user.cpp", 1 + i % 3});
  });
  CHECK(fallback_count() == 800);
  CHECK(fallbacks().size() == 3);
  CHECK(lines == 3);
  set_log_sink(nullptr);
}

TEST_CASE("lines that many threads log are complete, and names are unique") {
  static std::vector<std::string> lines;  // the sink is called under a lock
  set_log_sink([](std::string_view line, void*) { lines.emplace_back(line); });
  vector<float> const x{1.f, 2.f};
  set_log_format(log_format::tf1);
  set_log_level(log_level::all);
  on_threads(8, [&](int) {
    for (int i = 0; i != 50; ++i) {
      vector<float> const y = relu(x);
      vector<float> const z = named("mine", relu(x));
    }
  });
  set_log_level(log_level::off);
  set_log_sink(nullptr);
  std::vector<std::string> nodes;
  for (std::string const& line : lines)
    if (line.starts_with("Relu") || line.starts_with("mine")) nodes.push_back(line);
  CHECK(nodes.size() == 800);
  std::sort(nodes.begin(), nodes.end());
  CHECK(std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end());
  for (std::string const& node : nodes)
    CHECK(node.ends_with(": /job:localhost/replica:0/task:0/gpu:0"));
}

TEST_CASE("settings can change while other threads compute") {
  vector<float> const x{1.f, 2.f};
  std::atomic<int> wrong{0};
  set_log_sink([](std::string_view, void*) {});
  on_threads(8, [&](int t) {
    for (int i = 0; i != 100; ++i) {
      if (t == 0) set_soft_device_placement(i % 2 == 0);
      if (t == 1) set_log_level(i % 2 == 0 ? log_level::off : log_level::all);
      if (t == 2) set_log_format(i % 2 == 0 ? log_format::tf2 : log_format::native);
      vector<float> const y = x + static_cast<float>(t);
      wrong += y.read()(0) != 1 + static_cast<float>(t);
    }
  });
  set_log_sink(nullptr);
  CHECK(wrong == 0);
}

TEST_CASE("the first ops of many threads fix the devices once") {
  std::atomic<int> wrong{0};
  on_threads(16, [&](int t) {
    with_device const scope(device{kind::gpu, t % 4});
    vector<float> const x{1.f, static_cast<float>(t)};
    wrong += x.read()(1) != static_cast<float>(t);
  });
  CHECK(wrong == 0);
  CHECK(this_machine().gpus == 4);
}
