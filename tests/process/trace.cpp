// gpus: 0 2
// env: [overlap] PLACEMENT_INTER_OP_THREADS=2
// Traces: the file's form, its lanes and events, threads, limits, forks and errors.
#include <support/gpus.hpp>
#include <support/json.hpp>
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>
#include <support/test_ops.hpp>

#include <placement/place/trace_json.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace placement;

namespace {

using floats = tensor<float, dextents<2>>;

floats guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }

/// An event of a trace file, with the name of its lane.
struct seen_event {
  std::string name, category, lane;
  double begin, end;
  json::value args;

  bool is_in(seen_event const& outer) const {
    return begin >= outer.begin && end <= outer.end && lane == outer.lane;
  }
  std::string text(std::string const& member) const {
    return args.has(member) ? args[member].text : "";
  }
};

/// The contents of a trace file. Fails if it is not in Chrome's format.
class seen_trace {
 public:
  explicit seen_trace(std::string const& text) : all_(json::reader(text).document()) {
    std::map<std::string, std::string> groups, lanes;
    auto const lane_of = [](json::value const& e) { return e["pid"].text + "/" + e["tid"].text; };
    for (json::value const& e : all_["traceEvents"].list) {
      if (e["ph"].text != "M") continue;
      if (e["name"].text == "process_name") groups[e["pid"].text] = e["args"]["name"].text;
      if (e["name"].text == "thread_name") lanes[lane_of(e)] = e["args"]["name"].text;
    }
    CHECK(groups == std::map<std::string, std::string>{{"1", "Devices"}, {"2", "Threads"}});
    for (json::value const& e : all_["traceEvents"].list) {
      if (e["ph"].text == "M") continue;
      REQUIRE(e["ph"].text == "X");
      REQUIRE(lanes.count(lane_of(e)) == 1);
      double const begin = e["ts"].number(), duration = e["dur"].number();
      CHECK(begin >= 0);
      CHECK(duration >= 0);
      events.push_back(
          {e["name"].text, e["cat"].text, lanes[lane_of(e)], begin, begin + duration, e["args"]});
    }
  }

  std::vector<seen_event> of(std::string const& category, std::string const& name = "") const {
    std::vector<seen_event> some;
    for (seen_event const& e : events)
      if (e.category == category && (name.empty() || e.name == name)) some.push_back(e);
    return some;
  }
  seen_event only(std::string const& category, std::string const& name) const {
    auto const some = of(category, name);
    REQUIRE(some.size() == 1);
    return some[0];
  }
  std::string dropped() const { return all_["otherData"]["dropped_events"].text; }

  std::vector<seen_event> events;

 private:
  json::value all_;
};

/// The trace of f().
template <class F> seen_trace traced(F f, trace_limits limits = {}) {
  temporary_folder const folder;
  trace t(folder / "run.json", limits);
  f();
  t.close();
  return seen_trace(folder.read("run.json"));
}

std::string first_device() { return gpus_of_test() > 0 ? "/GPU:0" : "/CPU:0"; }

template <class F> std::string message_of(F f) {
  try {
    f();
  } catch (error const& e) { return e.what(); }
  return "no error";
}

/// Waits for its other half: the element 0 for the element 1, and the other way round.
struct meet_op {
  static constexpr std::string_view name = "Meet";
  using pattern = placement::map;
  static inline std::atomic<int> seen{0};
  template <class T> T operator()(T x) const noexcept {
    if (x > T{1}) return x;
    seen.fetch_or(x == T{0} ? 1 : 2);
    while (seen.load() != 3) std::this_thread::yield();
    return x;
  }
};

}  // namespace

TEST_CASE("an op is an event on its device, inside a call on the thread") {
  floats const a = guide_a();
  seen_trace const t =
      traced([&] { floats const y = named("mine \"1\"\n", add(a, a, {"user.cpp", 7})); });
  seen_event const op = t.only("op", "Add"), call = t.only("call", "Add");
  CHECK(op.lane == first_device());
  CHECK(call.lane == "main thread");
  CHECK(op.begin >= call.begin);
  CHECK(op.text("device") == first_device());
  CHECK(op.text("requested").empty());
  CHECK(op.text("type") == "float");
  CHECK(op.args["shape"].list.size() == 2);
  CHECK(op.args["shape"].list[1].text == "3");
  CHECK(op.text("bytes") == "24");
  CHECK(op.text("label") == "mine \"1\"\n");
  CHECK(op.text("site") == "user.cpp:7");
  CHECK(op.text("why") ==
        (gpus_of_test() > 0 ? "a GPU goes before the CPU" : "no GPU on this machine"));
  CHECK_FALSE(op.args.has("ops"));
  CHECK_FALSE(op.args.has("failed"));
  CHECK_FALSE(op.args.has("fell_back"));
  CHECK(t.dropped() == "0");
}

TEST_CASE("a fused kernel is one event with the names of its ops") {
  floats const a = guide_a();
  seen_trace const t = traced([&] {
    floats const y = relu(a) * 2.f + a;
    floats const z = a + a + a + a + a + a + a + a + a;
  });
  auto const ops = t.of("op", "Add");
  REQUIRE(ops.size() == 2);
  std::string names;
  for (json::value const& name : ops[0].args["ops"].list) names += name.text + ' ';
  CHECK(names == "Relu Mul Add ");
  REQUIRE(ops[1].args["ops"].list.size() == 7);
  CHECK(ops[1].args["ops"].list[6].text == "and 2 more");
}

TEST_CASE("values, products, reductions, custom ops and assignments are events") {
  seen_trace const t = traced([&] {
    floats const a = guide_a();
    floats const p = matmul(a, transpose(a));
    tensor<float, extents<>> const s = sum(a);
    floats const c = concat(axis<0>, a, a);
    floats d = a + 1.f;
    view(d)[0] = 4.f;
  });
  CHECK(t.only("op", "Const").args["constant"].boolean);
  CHECK(t.only("op", "Const").text("bytes") == "24");
  CHECK(t.only("op", "MatMul").text("bytes") == "16");
  CHECK(t.only("op", "Sum").text("bytes") == "4");
  CHECK(t.of("op", "Concat").size() + t.of("op", "ConcatV2").size() == 1);
  CHECK(t.only("op", "Assign").lane == first_device());
  CHECK(t.of("call").size() >= 5);
}

TEST_CASE("an op has its name scope") {
  floats const a = guide_a();
  synchronize();
  seen_trace const t = traced([&] {
    name_scope const tower("tower_1");
    floats const b = add(a, a, {"user.cpp", 1});
  });
  CHECK(t.only("op", "Add").text("scope") == "tower_1");
}

TEST_CASE("copies have bytes and both devices, and a fallback is visible") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  floats const a = guide_a();
  synchronize();
  seen_trace const t = traced([&] {
    floats const b = copy_to(device_request("/gpu:1", {"user.cpp", 1}), a);
    with_device const scope("/gpu:1");
    floats const c = add(a, b, {"user.cpp", 2});
    floats const n = next(c, {"user.cpp", 3});
    std::vector<float> const host = to_vector(sum(n, axis<0>));
  });
  auto const copies = t.of("copy");
  REQUIRE(copies.size() >= 3);
  std::vector<std::string> lines;
  for (seen_event const& e : copies)
    lines.push_back(e.lane + " " + e.text("from") + " " + e.text("device") + " " + e.text("bytes") +
                    " " + e.text("reader") + " " + e.text("site"));
  auto const has = [&](std::string const& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  CHECK(has("/GPU:1 /GPU:0 /GPU:1 24  user.cpp:1"));
  CHECK(has("/GPU:1 /GPU:0 /GPU:1 24 Add user.cpp:2"));
  CHECK(has("/GPU:1 /GPU:1 /CPU:0 24 Next user.cpp:3"));
  CHECK(has("/GPU:1 /GPU:1 /CPU:0 12  "));

  seen_event const n = t.only("op", "Next");
  CHECK(n.lane == "/CPU:0");
  CHECK(n.args["fell_back"].boolean);
  CHECK(n.text("requested") == "/GPU:1");
  CHECK(n.text("device") == "/CPU:0");
  CHECK(n.text("why") == "no GPU kernel for this op and element type");
  CHECK(n.text("copied_bytes") == "24");
  CHECK(t.only("op", "Add").text("copied_bytes") == "24");
}

TEST_CASE("kernels of two GPUs overlap, and a wait for them is an event of the thread",
          "[overlap]") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  constexpr std::ptrdiff_t n = 1 << 20;
  auto const of = [&](char const* where, float first) {
    with_device const scope(where);
    tensor<float, dextents<1>> x = ones<float>(shape(n)) + 1.f;
    view(x)[0] = first;
    return x;
  };
  auto const x = of("/gpu:0", 0.f), y = of("/gpu:1", 1.f);
  synchronize();
  seen_trace const t = traced([&] {
    tensor<float, dextents<1>> u, v;
    {
      with_device const scope("/gpu:0");
      u = unary<meet_op, decltype(x) const&>{{}, {}, x};
    }
    {
      with_device const scope("/gpu:1");
      v = unary<meet_op, decltype(y) const&>{{}, {}, y};
    }
    synchronize(gpu0);
  });
  auto const ops = t.of("op", "Meet");
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].lane == "/GPU:0");
  CHECK(ops[1].lane == "/GPU:1");
  CHECK(ops[0].begin < ops[1].end);
  CHECK(ops[1].begin < ops[0].end);
  seen_event const call = t.only("call", "Synchronize");
  for (seen_event const& wait : t.of("wait"))
    if (wait.lane == "main thread") CHECK(wait.is_in(call));
}

TEST_CASE("events of a device do not overlap within a lane unless they are nested") {
  floats const a = guide_a();
  synchronize();
  seen_trace const t = traced([&] {
    with_device const scope("/cpu:0");
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i)
      threads.emplace_back([&] {
        with_device const inner("/cpu:0");
        for (int k = 0; k != 50; ++k) floats const y = relu(a) + a;
      });
    for (std::thread& each : threads) each.join();
  });
  CHECK(t.of("op", "Add").size() == 200);
  CHECK(t.of("call", "Add").size() == 200);
  std::map<std::string, std::vector<seen_event>> lanes;
  for (seen_event const& e : t.events) lanes[e.lane].push_back(e);
  CHECK(lanes.size() >= 5);
  for (auto& [name, all] : lanes) {
    std::sort(all.begin(), all.end(), [](seen_event const& x, seen_event const& y) {
      return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
    });
    std::vector<double> open;
    bool apart = true;
    for (seen_event const& e : all) {
      while (!open.empty() && open.back() <= e.begin + 1e-4) open.pop_back();
      apart = apart && (open.empty() || e.end <= open.back() + 1e-4);
      open.push_back(e.end);
    }
    CHECK(apart);
  }
}

TEST_CASE("an op that throws is an event that failed") {
  with_device const scope("/cpu:0");
  floats const a = guide_a();
  seen_trace const t = traced([&] {
    try {
      floats const y = at_most_two(a);
      FAIL("no exception");
    } catch (std::runtime_error const&) {}
    floats const y = a + a;
  });
  CHECK(t.only("op", "AtMostTwo").args["failed"].boolean);
  CHECK(t.only("call", "AtMostTwo").args["failed"].boolean);
  CHECK_FALSE(t.only("op", "Add").args.has("failed"));
}

TEST_CASE("tensors of no elements and of one element are traced") {
  seen_trace const t = traced([&] {
    tensor<float, dextents<1>> const none = ones<float>(shape(0)) + 1.f;
    tensor<float, dextents<1>> const one = ones<float>(shape(1)) + 1.f;
  });
  CHECK(t.of("op", "Add").size() == 2);
}

TEST_CASE("beyond the limit events are dropped and counted") {
  with_device const scope("/cpu:0");
  floats const a = guide_a();
  seen_trace const t = traced(
      [&] {
        for (int i = 0; i != 1000; ++i) floats const y = a + a;
      },
      {.max_events = 512});
  CHECK(t.events.size() + std::strtoul(t.dropped().c_str(), nullptr, 10) == 2000);
  CHECK(t.events.size() <= 512);
  CHECK(t.events.size() >= 256);
  seen_trace const none = traced([&] { floats const y = a + a; }, {.max_events = 0});
  CHECK(none.events.empty());
  CHECK(none.dropped() == "2");
}

TEST_CASE("the fast path is used without a trace, before and after one") {
  with_device const scope("/cpu:0");
  floats const a = guide_a();
  auto const is_fast = [] {
    return detail::runs_quietly_on_cpu0(detail::requested_here(), {}, true) &&
           detail::runs_quietly_on_cpu0(detail::requested_here(), {}, false);
  };
  CHECK(is_fast());
  traced([&] {
    CHECK_FALSE(is_fast());
    set_log_level(log_level::off);
    CHECK_FALSE(is_fast());
  });
  CHECK(is_fast());
}

TEST_CASE("an observer and a trace see the same ops") {
  floats const a = guide_a();
  int seen = 0;
  set_op_observer([](op_event const&, void* n) noexcept { ++*static_cast<int*>(n); }, &seen);
  seen_trace const t = traced([&] { floats const y = a + a; });
  CHECK(seen == 1);
  CHECK(t.of("op").size() == 1);
  floats y = a + a;
  set_op_observer(nullptr);
  y = a + a;
  CHECK(seen == 2);
}

TEST_CASE("two traces at once are an error, and one after another are not") {
  temporary_folder const folder;
  floats const a = guide_a();
  {
    trace first(folder / "first.json");
    floats const y = a + a;
    CHECK(folder.without_path(message_of([&] { trace second(folder / "second.json"); })) ==
          "placement: a trace to 'second.json' cannot start: another one records. Close that one "
          "first.");
    first.close();
    first.close();
    floats const z = a - a;
    trace third(folder / "third.json");
    floats const w = a * a;
  }
  CHECK(seen_trace(folder.read("first.json")).of("op").size() == 1);
  seen_trace const third(folder.read("third.json"));
  REQUIRE(third.of("op").size() == 1);
  CHECK(third.of("op")[0].name == "Mul");
  CHECK(folder.count() == 2);
}

TEST_CASE("a file that cannot be written is an error at the start, which names it") {
  temporary_folder const folder;
  CHECK(folder.without_path(message_of([&] { trace t(folder / "none/run.json"); })) ==
        "placement: 'none/run.json' cannot be written: No such file or directory. Check that its "
        "folder exists and can be written to.");
  CHECK(message_of([&] { trace t(folder.path()); }).find("is no regular file") !=
        std::string::npos);
  CHECK(message_of([&] { trace t(""); }).find("'' cannot be written") != std::string::npos);
  trace const works(folder / "run.json");
}

TEST_CASE("a file that cannot be written at the end is an error of close, and a line of the log") {
  temporary_folder const folder;
  log_lines log;
  trace t(folder / "run.json");
  REQUIRE(::mkdir((folder / "run.json").c_str(), 0700) == 0);
  folder.write("run.json/file", "");
  CHECK(message_of([&] { t.close(); }).find("Remove the folder of that name") != std::string::npos);
  CHECK_NOTHROW(t.close());
  { trace other(folder / "other.json"); }
  {
    trace third(folder / "third.json");
    REQUIRE(::mkdir((folder / "third.json").c_str(), 0700) == 0);
    folder.write("third.json/file", "");
  }
  auto const lines = log.take_all();
  REQUIRE(!lines.empty());
  CHECK(lines.back().starts_with("placement: the trace is lost. placement: '"));
}

TEST_CASE("a child of fork() records nothing, writes no file, and can start a trace of its own") {
  temporary_folder const folder;
  with_device const scope("/cpu:0");
  floats const a = guide_a();
  {
    trace t(folder / "run.json");
    floats const y = a + a;
    pid_t const child = ::fork();
    if (child == 0) {
      floats const z = a - a;
      try {
        { trace own(folder / "child.json"); }
        t.close();
      } catch (...) { ::_exit(1); }
      ::_exit(folder.read("run.json").empty() ? 0 : 2);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    floats const z = a * a;
  }
  seen_trace const t(folder.read("run.json"));
  CHECK(t.of("op").size() == 2);
  CHECK(t.of("op", "Sub").empty());
  CHECK(seen_trace(folder.read("child.json")).events.empty());
}

TEST_CASE("PLACEMENT_TRACE traces a program, and its file is written at exit") {
  temporary_folder const folder;
  auto const run = [&](std::string const& path, auto f) {
    pid_t const child = ::fork();
    if (child == 0) {
      ::setenv("PLACEMENT_TRACE", path.c_str(), 1);
      std::exit(f());
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
  };
  CHECK(run(folder / "run.json", [&] {
          floats const a = guide_a(), y = a + a;
          return message_of([&] {
                   trace t(folder / "other.json");
                 }).find("or unset PLACEMENT_TRACE.") == std::string::npos
                     ? 1
                     : 0;
        }) == 0);
  seen_trace const t(folder.read("run.json"));
  CHECK(t.of("op", "Add").size() == 1);
  CHECK(folder.count() == 1);

  std::string const missing = folder / "none/run.json";
  CHECK(run(missing, [&] {
          std::string const expected =
              "placement: '" + missing + "' cannot be written: No such file or directory.";
          bool const names_it =
              message_of([] { floats const y = guide_a() + 1.f; }).starts_with(expected) &&
              message_of([] { floats const y = guide_a() + 1.f; }).starts_with(expected);
          return names_it ? 0 : 1;
        }) == 0);
}

TEST_CASE("texts that are no UTF-8 are replaced") {
  CHECK(detail::json_string("a\"\\\n\x01\x7f") == "\"a\\\"\\\\\\u000a\\u0001\\u007f\"");
  CHECK(detail::json_string("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  CHECK(detail::json_string("\xc3") == "\"\\ufffd\"");
  CHECK(detail::json_string("\xff\xc0\xaf") == "\"\\ufffd\\ufffd\\ufffd\"");
  CHECK(detail::json_string("\xed\xa0\x80") == "\"\\ufffd\\ufffd\\ufffd\"");
  CHECK(detail::json_string("") == "\"\"");
  CHECK(detail::json_time(0) == "0.000");
  CHECK(detail::json_time(1234567) == "1234.567");
  CHECK(detail::json_time(1002) == "1.002");
}
