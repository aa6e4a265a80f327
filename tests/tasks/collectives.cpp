#include <placement/tasks.hpp>
#include <placement/tasks/measure_link.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/log_lines.hpp>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;

namespace {

using row = tensor<float, dextents<1>>;
using floats = std::vector<float>;

/// [index, 10 index] on task `index`.
row own_values() {
  return each_task(
      [](task t) { return row(iota(2, 0.f, 1.f) * (9.f * float(t.index)) + float(t.index)); });
}

/// The error of a value that each task has of its own says what to write, and where.
template <class F> void check_message(F const& f) {
  try {
    f();
    FAIL("no error");
  } catch (placement_error const& e) {
    for (char const* part :
         {"each task has of its own", "all_sum(x)", "of_task(x, ...)", "collectives.cpp:"})
      CHECK_THAT(e.what(), ContainsSubstring(part));
  }
}

}  // namespace

TEST_CASE("a value of each task takes part in ops") {
  tasks const all(simulated_tasks{3});
  row const x = own_values();
  CHECK(x.where().task == per_task);
  message_count const before = messages_so_far();
  row const y = x * 2.f + 1.f;
  row const z = sum(reshape(y, shape(2, 1)), 1);
  CHECK(messages_so_far() == before);
  CHECK(to_vector(all_gather(z)) == floats{1, 1, 3, 21, 5, 41});
}

TEST_CASE("a value of each task cannot be read, and the error says what to write") {
  tasks const all(simulated_tasks{2});
  row const x = own_values();

  check_message([&] { x.read(); });
  CHECK_THROWS_WITH(to_vector(x), ContainsSubstring("each task has of its own"));
  check_message([&] { item(sum(x)); });
  check_message([&] { row(on("/task:1/cpu:0", x + 1.f)); });
  check_message([&] { copy_to("/task:1/cpu:0", x); });
  row const owned = of_task(x, 1);
  CHECK(to_vector(owned) == floats{1, 10});
}

TEST_CASE("sums and means over the tasks") {
  tasks const all(simulated_tasks{4});
  row const x = own_values();
  CHECK(to_vector(all_sum(x)) == floats{6, 60});
  CHECK(to_vector(all_sum(x, fast)) == floats{6, 60});
  CHECK(to_vector(all_mean(x)) == floats{1.5f, 15});
  CHECK(to_vector(all_max(x)) == floats{3, 30});
  CHECK(to_vector(all_sum(row(ones<float>(shape(2))))) == floats{4, 4});
  CHECK(!all_sum(x).where().has_task());
  auto const [a, b] = all_mean(std::tuple{x, row(x + 1.f)});
  CHECK(to_vector(b) == floats{2.5f, 16});
  CHECK(to_vector(all_sum(tensor<std::int64_t, dextents<1>>(cast<std::int64_t>(x)))) ==
        std::vector<std::int64_t>{6, 60});
  CHECK(to_vector(all_sum(tensor<float16, dextents<1>>(cast<float16>(x))))[1] == float16(60.f));
  CHECK(all_sum(row(zeros<float>(shape(0)))).size() == 0);
}

TEST_CASE("sums are in the order of the tasks") {
  tasks const all(simulated_tasks{3});
  row const x =
      each_task([](task t) { return row(iota(5, 0.1f, 0.3f) * (t.index == 1 ? 1e8f : 1.7f)); });
  floats expected(5);
  for (int t = 0; t != 3; ++t) {
    floats const part = to_vector(of_task(x, t));
    for (std::size_t i = 0; i != 5; ++i) expected[i] = t == 0 ? part[i] : expected[i] + part[i];
  }
  floats const found = to_vector(all_sum(x));
  CHECK(std::memcmp(found.data(), expected.data(), 20) == 0);
}

TEST_CASE("sums in the background") {
  tasks const all(simulated_tasks{4});
  row x = own_values();
  auto const first = all_sum(x, in_background);
  auto const second = all_mean(x, in_background_t{fast});
  x = x * 0.f;
  CHECK(to_vector(second.get()) == floats{1.5f, 15});
  CHECK(to_vector(first.get()) == floats{6, 60});
  CHECK(to_vector(first.get()) == floats{6, 60});
}

TEST_CASE("gathers, scatters and broadcasts") {
  tasks const all(simulated_tasks{2});
  row const x = own_values();
  CHECK(to_vector(all_gather(x)) == floats{0, 0, 1, 10});
  CHECK(to_vector(all_gather(reduce_scatter(x))) == floats{1, 10});
  CHECK(to_vector(broadcast_from(1, x)) == floats{1, 10});
  CHECK(!broadcast_from(1, x).where().has_task());
  barrier();
  CHECK_THROWS_WITH(reduce_scatter(row(ones<float>(shape(3)))),
                    ContainsSubstring("no multiple of 2"));
  CHECK_THROWS_WITH(of_task(x, 2), ContainsSubstring("this program has tasks 0 to 1"));
  CHECK_THROWS_WITH(all_sum(of_task(x, 1)), ContainsSubstring("which no other task has"));
}

TEST_CASE("the functions of each task have random ops of their own") {
  tasks const all(simulated_tasks{3});
  set_seed(3);
  auto const draw = [] { return row(uniform<float>(shape(4))); };
  row const x = each_task([&](task) { return draw(); });
  floats const after = to_vector(draw());
  CHECK(to_vector(of_task(x, 0)) != to_vector(of_task(x, 1)));
  CHECK(to_vector(of_task(x, 1)) != to_vector(of_task(x, 2)));
  set_seed(3);
  row const again = each_task([&](task t) {
    for (int i = 0; i != t.index; ++i) static_cast<void>(draw());  // moves no stream outside
    return draw();
  });
  CHECK(to_vector(of_task(again, 0)) == to_vector(of_task(x, 0)));
  CHECK(to_vector(draw()) == after);
}

TEST_CASE("nothing in the function of a task concerns others") {
  tasks const all(simulated_tasks{2});
  row const owned = on("/task:1/cpu:0", row(ones<float>(shape(2))) + 1.f);
  row const own = own_values();
  std::string const text = "concerns other tasks in the function of each_task";
  CHECK_THROWS_WITH(each_task([&](task) { return row(owned + 1.f); }), ContainsSubstring(text));
  CHECK_THROWS_WITH(each_task([&](task) { return row(on("/task:0", own + 1.f)); }),
                    ContainsSubstring(text));
  CHECK_THROWS_WITH(each_task([&](task) { return all_sum(own); }), ContainsSubstring(text));
  CHECK_THROWS_WITH(at_chief([&] { barrier(); }), ContainsSubstring(text));
  std::vector<float> seen;
  each_task([&](task) { seen.push_back(own.read()(1)); });
  CHECK(seen == floats{0, 10});
  row const same = each_task([&](task) { return own; });
  CHECK(to_vector(all_gather(same)) == floats{0, 0, 1, 10});
  CHECK_THROWS_WITH(each_task([&](task) { return owned; }), ContainsSubstring(text));
}

TEST_CASE("shapes are the same on all tasks") {
  tasks const all(simulated_tasks{2});
  CHECK_THROWS_WITH(each_task([](task t) { return row(ones<float>(shape(2 + t.index))); }),
                    ContainsSubstring("Give all tasks one shape"));
}

TEST_CASE("plain values of one task") {
  tasks const all(simulated_tasks{2});
  int calls = 0;
  CHECK(from_task(1, [&] { return ++calls; }) == 1);
  CHECK(from_task(0, [] { return std::string("text"); }) == "text");
  at_task(1, [&] { calls = this_task().index + 10; });
  CHECK(calls == 11);
}

TEST_CASE("all_or_none throws on all tasks if one task fails") {
  tasks const all(simulated_tasks{3});
  row const x = all_or_none([](task t) { return row(ones<float>(shape(2)) * float(t.index)); });
  CHECK(to_vector(all_sum(x)) == floats{3, 3});
  CHECK_THROWS_WITH(all_or_none([](task t) {
                      if (t.index == 1) throw std::runtime_error("no such file");
                    }),
                    ContainsSubstring("/job:worker/task:1 failed in all_or_none") &&
                        ContainsSubstring("no such file"));
  CHECK_NOTHROW(barrier());
  random_state const before = current_random_state();
  at_chief([] { static_cast<void>(row(uniform<float>(shape(2)))); });
  all_or_none([](task) { static_cast<void>(row(uniform<float>(shape(2)))); });
  CHECK(current_random_state() == before);
}

TEST_CASE("measure_link gives the costs of messages between tasks") {
  {
    tasks const all(simulated_tasks{2});
    message_count const before = messages_so_far();
    message_link const l = measure_link();
    CHECK(l.latency > 0);
    CHECK(l.latency < 0.1);
    CHECK(l.bandwidth > 1e6);
    CHECK(l.sum_bandwidth > 1e6);
    CHECK(messages_so_far().bytes_sent - before.bytes_sent > 200 * (std::size_t{4} << 20));
    CHECK(step_seconds({.compute = 1, .gradient_bytes = 247512}, 8, l) > 1);
  }
  CHECK_THAT(
      error_message<invalid_argument>([] { measure_link(); }),
      ContainsSubstring("placement: measure_link() in a program of one task. Start several"));
}
