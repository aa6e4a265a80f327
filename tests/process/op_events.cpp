// gpus: 0 2
// Placement events: their contents, levels and threads, and what an observer may do.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

tensor<float, dextents<2>> guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }

/// A stored event.
struct seen_event {
  op_event e;  ///< its shape is no longer valid
  std::vector<std::ptrdiff_t> shape;
  std::string line;
  std::thread::id thread;
};
/// Stores all events during its lifetime.
class observed_events {
 public:
  observed_events() { set_op_observer(&observed_events::take, this); }
  ~observed_events() { set_op_observer(nullptr); }
  observed_events(observed_events const&) = delete;
  observed_events& operator=(observed_events const&) = delete;

  std::vector<seen_event> take_all() { return std::exchange(events_, {}); }

 private:
  static void take(op_event const& e, void* self) noexcept {
    static_cast<observed_events*>(self)->events_.push_back(
        {e, {e.shape.begin(), e.shape.end()}, to_string(e), std::this_thread::get_id()});
  }
  std::vector<seen_event> events_;
};

device first_device() { return gpus_of_test() > 0 ? gpu0 : cpu0; }

}  // namespace

TEST_CASE("an observer gets each op of a kernel with all its properties, and no line is printed") {
  tensor const a = guide_a();
  log_lines log;
  observed_events events;
  auto const e = named("mine", multiply(relu(a, {"user.cpp", 1}), 2.f, {"user.cpp", 2}));
  tensor const y = e;
  auto const seen = events.take_all();
  REQUIRE(seen.size() == 2);
  op_event const &inner = seen[0].e, &outer = seen[1].e;
  CHECK(inner.kind == op_event_kind::op);
  CHECK(inner.op == "Relu");
  CHECK(inner.element == "float");
  CHECK(seen[0].shape == std::vector<std::ptrdiff_t>{2, 3});
  CHECK_FALSE(inner.requested.has_value());
  CHECK(inner.requested_by == request_source::nobody);
  CHECK(inner.actual == first_device());
  CHECK(inner.why == (gpus_of_test() > 0 ? reason::gpu_first : reason::no_gpu));
  CHECK_FALSE(inner.fell_back);
  CHECK_FALSE(inner.is_outermost);
  CHECK(inner.kernel == "Mul");
  CHECK(inner.where == site{"user.cpp", 1});
  CHECK(outer.op == "Mul");
  CHECK(outer.is_outermost);
  CHECK(outer.kernel == "Mul");
  CHECK(outer.kernel_id != 0);
  CHECK(inner.kernel_id == outer.kernel_id);
  CHECK(to_string(outer.name) == "mine");
  CHECK(outer.where == site{"user.cpp", 2});
  CHECK(log.take_all() == lines_of{});

  tensor const z = relu(a);
  auto const next = events.take_all();
  REQUIRE(next.size() == 1);
  CHECK(next[0].e.kernel_id > outer.kernel_id);
}

TEST_CASE(
    "constants, requests and copies are events, with the source of the request and the bytes") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  observed_events events;
  with_device const scope(device_request("/gpu:1", {"user.cpp", 1}));
  tensor const a = guide_a();
  auto seen = events.take_all();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].e.is_constant);
  CHECK(seen[0].e.op == "Const");
  CHECK(seen[0].e.requested == device_spec{device{kind::gpu, 1}});
  CHECK(seen[0].e.requested_by == request_source::scope);
  CHECK(seen[0].e.actual == device{kind::gpu, 1});
  CHECK(seen[0].e.why == reason::scope);

  tensor const b = copy_to(device_request("/gpu:0", {"user.cpp", 2}), a);
  tensor const same = copy_to("/gpu:0", b);
  seen = events.take_all();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].e.kind == op_event_kind::copy_to);
  CHECK(seen[0].e.from == device{kind::gpu, 1});
  CHECK(seen[0].e.actual == gpu0);
  CHECK(seen[0].e.bytes == 24);
  CHECK(seen[0].e.where == site{"user.cpp", 2});
  CHECK(tensorflow_name(seen[0].e) == "Identity");
  CHECK(seen[1].e.bytes == 0);

  tensor const c = add(a, b, {"user.cpp", 3});
  seen = events.take_all();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].e.kind == op_event_kind::copy);
  CHECK(seen[0].e.op == "Copy");
  CHECK(seen[0].e.kernel == "Add");
  CHECK(seen[0].e.from == gpu0);
  CHECK(seen[0].e.actual == device{kind::gpu, 1});
  CHECK(seen[0].e.bytes == 24);
  CHECK(seen[0].e.kernel_id == seen[1].e.kernel_id);
  CHECK(seen[1].e.copies == 1);
  CHECK(seen[1].e.bytes == 24);
  CHECK(tensorflow_name(seen[1].e) == "AddV2");
}

TEST_CASE("a fallback is an event each time, with the reason, whatever is printed") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  tensor const a = guide_a();
  set_log_level(log_level::off);
  observed_events events;
  with_device const scope("/gpu:0");
  for (int i = 0; i != 2; ++i) tensor const y = next(a, {"user.cpp", 1});
  auto const seen = events.take_all();
  REQUIRE(seen.size() == 6);  // each time: the fallback, the copy to the CPU, the op
  for (std::size_t i : {std::size_t{0}, std::size_t{3}}) {
    CHECK(seen[i].e.kind == op_event_kind::fallback);
    CHECK(seen[i].e.op == "Next");
    CHECK(seen[i].e.fell_back);
    CHECK(seen[i].e.requested == device_spec{gpu0});
    CHECK(seen[i].e.actual == cpu0);
    CHECK(seen[i].e.why == reason::no_gpu_kernel);
    CHECK(seen[i].e.kernel_id == seen[i + 2].e.kernel_id);
    CHECK(seen[i + 1].e.kind == op_event_kind::copy);
    CHECK(seen[i + 2].e.kind == op_event_kind::op);
    CHECK(seen[i + 2].e.fell_back);
  }
}

TEST_CASE("the event and the text of an op that fusion moves say where it was written") {
  tensor const a = guide_a();
  observed_events events;
  with_device const outer("/cpu:0");
  auto const inner = [&] {
    with_device const scope("/gpu:0");
    return relu(a, {"user.cpp", 1});
  }();
  tensor const y = add(inner, 1.f, {"user.cpp", 2});
  for (seen_event const& s : events.take_all()) {
    if (s.e.op != "Relu") continue;
    CHECK(s.e.moved);
    CHECK(s.e.written == device_spec{gpu0});
    CHECK(s.e.requested == device_spec{cpu0});
    CHECK(
        s.line ==
        "placement: Relu<float> [2, 3] on /CPU:0 (asked for /CPU:0: device scope), written in /GPU:0, fused into "
        "Add on /CPU:0 at user.cpp:1");
    return;
  }
  FAIL("no event of Relu");
}

TEST_CASE("the lines of the native format describe the events") {
  tensor const a = copy_to("/cpu:0", guide_a());
  set_log_device_placement(true);
  log_lines log;
  observed_events events;
  tensor const b = a * 2.f + sum(a);
  tensor const c = copy_to(gpus_of_test() > 0 ? "/cpu:0" : "/gpu:3", b);
  tensor const n = next(a);
  lines_of lines;
  for (seen_event const& s : events.take_all())
    if (s.e.kind != op_event_kind::copy_to || s.e.bytes != 0) lines.push_back(s.line);
  CHECK(lines.size() > 3);
  CHECK(log.take_all() == lines);
}

TEST_CASE(
    "an observer sees the same at every log level, in scopes and with settings of an evaluation") {
  tensor const a = guide_a();
  log_lines log;
  observed_events events;
  for (log_level const level :
       {log_level::off, log_level::fallback, log_level::copies, log_level::all}) {
    tensor y = a + a;  // the second evaluation takes the fast path
    y = a + a;
    with_device const scope("/cpu:0", level);
    tensor const z = relu(y);
    tensor const w = evaluate(relu(y), level);
    std::size_t ops = 0;
    for (seen_event const& s : events.take_all()) ops += s.e.kind == op_event_kind::op;
    CHECK(ops == 4);
  }
}

TEST_CASE("several results of one kernel are events of one kernel") {
  with_device const scope("/cpu:0");
  tensor const a = guide_a();
  tensor s = a, d = a;
  observed_events events;
  evaluate(into(s) = a + a, into(d) = a - a);
  auto const seen = events.take_all();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].e.kernel_id == seen[1].e.kernel_id);
}

TEST_CASE("without an observer there are no events, and the fast path is used again") {
  with_device const scope("/cpu:0");
  tensor const a = guide_a();
  {
    observed_events events;
    CHECK(detail::settings_here().is_observed());
    CHECK_FALSE(detail::runs_quietly_on_cpu0(detail::requested_here(), {}, true));
  }
  CHECK_FALSE(detail::settings_here().is_observed());
  CHECK(detail::runs_quietly_on_cpu0(detail::requested_here(), {}, true));
  tensor const y = relu(a);
}

TEST_CASE("changing settings and the log format leaves the observer in place") {
  observed_events events;
  set_soft_device_placement(true);
  set_log_level(log_level::off);
  set_log_format(log_format::tf2);
  set_transfer_policy(transfers::silent);
  tensor const a = guide_a();
  CHECK(events.take_all().size() == 1);
}

TEST_CASE("an observer may evaluate, query and replace itself, and its own ops are not observed") {
  struct counted {
    int calls = 0;
    float sum_of_ones = 0;
  };
  counted first, second;
  tensor const a = guide_a();
  auto const later = [](op_event const&, void* context) noexcept {
    ++static_cast<counted*>(context)->calls;
  };
  static op_observer replacement = later;
  static counted* other = nullptr;
  other = &second;
  set_op_observer(
      [](op_event const&, void* context) noexcept {
        auto& c = *static_cast<counted*>(context);
        ++c.calls;
        c.sum_of_ones += item(sum(ones<float>(shape(4))));
        static_cast<void>(fallback_count());
        set_op_observer(replacement, other);
      },
      &first);
  tensor y = relu(a);
  CHECK(first.calls == 1);
  CHECK(first.sum_of_ones == 4);
  y = relu(a);
  set_op_observer(nullptr);
  y = relu(a);
  CHECK(first.calls == 1);
  CHECK(second.calls == 1);
}

TEST_CASE("calls from several threads are serialised, each on the thread that evaluates") {
  tensor const a = guide_a();
  struct state {
    int inside = 0, calls = 0;
    bool together = false;
  } all;
  set_op_observer(
      [](op_event const&, void* context) noexcept {
        auto& s = *static_cast<state*>(context);
        s.together = s.together || ++s.inside != 1;
        ++s.calls;
        --s.inside;
      },
      &all);
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&a] {
      for (int i = 0; i != 50; ++i) tensor const y = relu(a);
    });
  for (std::thread& t : threads) t.join();
  set_op_observer(nullptr);
  CHECK(all.calls == 200);
  CHECK_FALSE(all.together);

  observed_events events;
  std::thread::id id;
  std::thread([&] {
    id = std::this_thread::get_id();
    tensor const y = relu(a);
  }).join();
  auto const seen = events.take_all();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].thread == id);
}
