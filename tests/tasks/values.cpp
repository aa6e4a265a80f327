#include <placement/tasks.hpp>

#include <placement/ops/array_equal.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/log_lines.hpp>

#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;

namespace {

using row = tensor<float, dextents<1>>;
using table = tensor<float, dextents<2>>;

row numbers(std::initializer_list<float> x) { return from(std::vector<float>(x)); }
std::vector<float> values(row const& x) { return to_vector(x); }

std::string text_of(log_lines& log) {
  std::string all;
  for (std::string const& line : log.take_all()) all += line + '\n';
  return all;
}

/// The messages of some statements.
class messages_since {
 public:
  std::size_t operator()() const { return messages_so_far().sent - before_.sent; }
  std::size_t bytes() const { return messages_so_far().bytes_sent - before_.bytes_sent; }

 private:
  message_count before_ = messages_so_far();
};

}  // namespace

TEST_CASE("an op on a task gives a value of that task") {
  tasks const all(simulated_tasks{4});
  row const a = numbers({1, 2, 3});
  messages_since const sent;
  row const x = on("/job:worker/task:1/cpu:0", a * 2.f);
  CHECK(x.where() == device{kind::cpu, 0, 1});
  CHECK(to_string(x.where()) == "/job:worker/task:1/device:CPU:0");
  CHECK(sent() == 0);
  CHECK(values(x) == std::vector<float>{2, 4, 6});
  CHECK(sent() == 3);  // a read is a message to each other task
  CHECK(sent.bytes() == 36);
}

TEST_CASE("an operand of another task is one message") {
  tasks const all(simulated_tasks{4});
  row const a = numbers({1, 2, 3});
  row const x = on("/job:worker/task:1/cpu:0", a * 2.f);
  messages_since const sent;
  row const y = on("/job:worker/task:2/cpu:0", x * x + a);
  CHECK(sent() == 1);
  CHECK(sent.bytes() == 12);
  row const z = on("/job:worker/task:2/cpu:0", y + 1.f);
  CHECK(sent() == 1);
  CHECK(copies_between({kind::cpu, 0, 1}, {kind::cpu, 0, 2}).copies == 1);
  CHECK(values(z) == std::vector<float>{6, 19, 40});
}

TEST_CASE("only the bytes that a kernel reads are sent") {
  tasks const all(simulated_tasks{2});
  table const a = reshape(iota(64, 0.f), shape(8, 8));
  table const x = on("/task:1/cpu:0", a + 0.f);
  messages_since const sent;
  table const part = on("/task:0/cpu:0", slice(x, range(2, 3)) * 1.f);
  CHECK(sent() == 1);
  CHECK(sent.bytes() == 32);
  CHECK(part.read()(0, 1) == 17.f);
}

TEST_CASE("an op without a task reads a value of one task everywhere") {
  tasks const all(simulated_tasks{4});
  row const x = on("/job:worker/task:3/cpu:0", numbers({1, 2}) + 1.f);
  messages_since const sent;
  row const y = x + numbers({10, 20});
  CHECK(sent() == 3);
  CHECK(!y.where().has_task());
  CHECK(values(y) == std::vector<float>{12, 23});
  CHECK(sent() == 3);
  CHECK(item(sum(x)) == 5.f);
}

TEST_CASE("names without a task, and of the local job, mean every task") {
  tasks const all(simulated_tasks{2});
  for (char const* name : {"/cpu:0", "cpu:0", "/job:localhost/cpu:0",
                           "/job:localhost/replica:0/task:0/device:CPU:0", "/replica:0/cpu:0"}) {
    row const x = on(name, numbers({1}) + 1.f);
    CHECK(x.where() == cpu0);
  }
  CHECK(row(on("/task:0/cpu:0", numbers({1}) + 1.f)).where() == device{kind::cpu, 0, 0});
  CHECK(row(on("/job:worker/cpu:0", numbers({1}) + 1.f)).where() == device{kind::cpu, 0, 0});
}

TEST_CASE("jobs number their tasks one after another") {
  tasks const all(simulated_tasks{4, {{"ps", 1}, {"worker", 3}}});
  row const a = numbers({1});
  CHECK(row(on("/job:ps/cpu:0", a + 1.f)).where().task == 0);
  CHECK(row(on("/job:worker/task:2/cpu:0", a + 1.f)).where().task == 3);
  CHECK(row(on("/task:2/cpu:0", a + 1.f)).where().task == 3);
  CHECK_THROWS_WITH(row(on("/task:0/cpu:0", a + 1.f)),
                    ContainsSubstring("several jobs have a task /task:0"));
  CHECK_THROWS_WITH(row(on("/job:worker/task:3/cpu:0", a + 1.f)),
                    ContainsSubstring("no task /job:worker/task:3 in this program; tasks: "
                                      "/job:ps/task:0, /job:worker/task:0, /job:worker/task:1"));
  CHECK(list_tasks("worker").size() == 3);
  CHECK(list_tasks("worker")[1].name() == "/job:worker/task:1");
  row const x = on(list_tasks("worker")[1].device("cpu:0"), a + 1.f);
  CHECK(to_string(x.where()) == "/job:worker/task:1/device:CPU:0");
  CHECK_THROWS_AS(list_tasks("chief"), invalid_argument);
}

TEST_CASE("a scope of a task holds for all ops in it, and nests") {
  tasks const all(simulated_tasks{3});
  row const a = numbers({1, 2});
  with_device const outer("/job:worker/task:2");
  row const x = a + 1.f;
  CHECK(x.where().task == 2);
  {
    with_device const inner("/cpu:0");
    CHECK(row(a + 1.f).where() == device{kind::cpu, 0, 2});
  }
  {
    with_device const inner("/task:1");
    CHECK(row(a + x).where().task == 1);
    CHECK(numbers({5, 6}).where().task == 1);
  }
  row y = zeros<float>(shape(2));
  CHECK(y.where().task == 2);
  y = y + x;
  CHECK(values(y) == std::vector<float>{2, 3});
}

TEST_CASE("copy_to moves between tasks and to every task") {
  tasks const all(simulated_tasks{3});
  row const a = numbers({1, 2});
  messages_since const sent;
  row const x = copy_to("/task:1/cpu:0", a);
  CHECK(sent() == 0);
  row const y = copy_to("/task:2/cpu:0", x);
  CHECK(sent() == 1);
  CHECK(y.where().task == 2);
  row const z = copy_to("/cpu:0", y);
  CHECK(sent() == 3);
  CHECK(z.where() == cpu0);
  CHECK(values(z) == std::vector<float>{1, 2});
}

TEST_CASE("a budget and explicit transfers reject messages") {
  tasks const all(simulated_tasks{2});
  row const a = numbers({1, 2});
  row const x = on("/task:0/cpu:0", a + 1.f), y = on("/task:1/cpu:0", a + 2.f);
  {
    with_device const scope("/job:worker/task:1/cpu:0", no_copies);
    CHECK_THROWS_WITH(row(x + y), ContainsSubstring("at most 0 copies are allowed here") &&
                                      ContainsSubstring("/job:worker/task:0/device:CPU:0"));
    CHECK_NOTHROW(row(y + y));
  }
  with_device const scope("/job:worker/task:1/cpu:0", transfers::refuse);
  CHECK_THROWS_WITH(row(x + y), ContainsSubstring("explicit transfers"));
}

TEST_CASE("the log names the tasks of ops and of messages") {
  tasks const all(simulated_tasks{2});
  row const a = numbers({1, 2});
  row const x = on("/task:1/cpu:0", a + 1.f);
  log_lines log;
  {
    with_device const scope("/task:0/cpu:0", log_level::all);
    row const y = x * 2.f;
  }
  std::string const text = text_of(log);
  CHECK_THAT(text, ContainsSubstring("Mul<float> [2] on /job:worker/task:0/device:CPU:0"));
  CHECK_THAT(text, ContainsSubstring("copy of 8 B from /job:worker/task:1/device:CPU:0 to "
                                     "/job:worker/task:0/device:CPU:0 for Mul"));
}

TEST_CASE("explain and plan_of count messages as the evaluation does") {
  tasks const all(simulated_tasks{4});
  row const a = numbers({1, 2, 3});
  row const x = on("/task:1/cpu:0", a + 1.f);
  auto const e = on("/task:2/cpu:0", x * a + x);
  CHECK(plan_of(e).messages() == 1);
  CHECK(plan_of(e).node("Add").device == device{kind::cpu, 0, 2});
  CHECK_THAT(explain(e), ContainsSubstring("/job:worker/task:2/device:CPU:0"));
  auto const everywhere = x + a;
  CHECK(plan_of(everywhere).messages() == 3);
  messages_since const sent;
  row const y = e, z = everywhere;
  CHECK(sent() == 4);
}

TEST_CASE("products, reductions and custom ops run on tasks") {
  tasks const all(simulated_tasks{3});
  table const a = reshape(iota(16, 0.f), shape(4, 4));
  table const x = on("/task:1/cpu:0", matmul(a, a));
  table const y = on("/task:2/cpu:0", relu(matmul(x, a) + 1.f));
  row const s = on("/task:1/cpu:0", sum(y, 0));
  row const sorted = on("/task:2/cpu:0", sort(s, 0));
  table const joined = on("/task:0/cpu:0", concat(0, x, y));
  table const expected = relu(matmul(matmul(a, a), a) + 1.f);
  CHECK(array_equal(y, expected));
  CHECK(array_equal(sorted, sort(sum(expected, 0), 0)));
  CHECK(joined.where().task == 0);
  CHECK(array_equal(slice(joined, range(4, 8)), expected));
}

TEST_CASE("the errors of values on tasks") {
  tasks all(simulated_tasks{2});
  row const a = numbers({1, 2});
  CHECK_THROWS_WITH(tasks(simulated_tasks{2}), ContainsSubstring("has a tasks object already"));
  CHECK_THROWS_AS(tasks(simulated_tasks{65}), invalid_argument);
  CHECK_THROWS_WITH(tasks(simulated_tasks{2, {{"a", 1}}}), ContainsSubstring("have 1 tasks"));
  CHECK_THROWS_AS(tasks(simulated_tasks{2, {{"a", 1}, {"a", 1}}}), invalid_argument);
  CHECK_THROWS_AS(tasks(simulated_tasks{1, {{"localhost", 1}}}), invalid_argument);
  row x = on("/task:1/cpu:0", a + 1.f);
  std::vector<float> memory(2);
  row lent = borrow(memory.data(), shape(2));
  lent = x;  // all tasks read it
  CHECK(memory == std::vector<float>{2, 3});
}

TEST_CASE("a value that outlives the tasks object cannot be read") {
  row x;
  {
    tasks const all(simulated_tasks{2});
    x = on("/task:1/cpu:0", numbers({1, 2}) + 1.f);
  }
  CHECK_THROWS_WITH(to_vector(x), ContainsSubstring("their tasks object is gone"));
  CHECK_THROWS_WITH(row(x + 1.f), ContainsSubstring("their tasks object is gone"));
}

TEST_CASE("without a tasks object names of tasks are errors") {
  row const a = numbers({1, 2});
  CHECK_THROWS_WITH(row(on("/job:worker/task:1/cpu:0", a + 1.f)),
                    ContainsSubstring("no task /job:worker/task:1 in this program; tasks: "
                                      "/job:localhost/task:0"));
  CHECK(row(on("/task:0/cpu:0", a + 1.f)).where() == cpu0);
  CHECK(each_task([&](task t) { return a + float(t.count); }).where() == row(a + 1.f).where());
  CHECK_THROWS_WITH(all_sum(a), ContainsSubstring("is of a program with tasks"));
  CHECK(this_task() == task{});
}

TEST_CASE("an assignment through a view writes where the elements are") {
  tasks const all(simulated_tasks{3});
  row const a = numbers({1, 2, 3, 4});
  row x = on("/task:1/cpu:0", a + 0.f);
  row const same = x;
  {
    messages_since const sent;
    slice(view(x), range(0, 2)) = numbers({10, 20});
    slice(view(x), range(3, 4)) = 7.f;
    CHECK(sent() == 0);
  }
  CHECK(x.where().task == 1);
  CHECK(values(x) == std::vector<float>{10, 20, 3, 7});
  CHECK(values(same) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("an assignment through a view brings a value of another task by one message") {
  tasks const all(simulated_tasks{3});
  row x = on("/task:1/cpu:0", numbers({1, 2, 3, 4}) + 0.f);
  row const there = on("/task:2/cpu:0", numbers({5, 6}) + 0.f);
  row const beside = on("/task:1/cpu:0", numbers({8, 9}) + 0.f);
  messages_since const sent;
  slice(view(x), range(0, 2)) = beside;
  CHECK(sent() == 0);
  slice(view(x), range(2, 4)) = there;
  CHECK(sent() == 1);
  CHECK(sent.bytes() == 8);
  CHECK(values(x) == std::vector<float>{8, 9, 5, 6});
}

TEST_CASE("an assignment through a view of a value of each task is one on each") {
  tasks const all(simulated_tasks{2});
  row x = each_task([](task t) { return row(numbers({1, 2, 3}) * static_cast<float>(t.index)); });
  row const y = each_task([](task t) { return row(numbers({5}) + static_cast<float>(t.index)); });
  slice(view(x), range(0, 1)) = numbers({9});
  slice(view(x), range(1, 2)) = y;
  CHECK(values(all_gather(x)) == std::vector<float>{9, 5, 0, 9, 6, 3});
  slice(view(x), range(2, 3)) = on("/task:1/cpu:0", numbers({4}) + 0.f);
  CHECK(values(all_gather(x)) == std::vector<float>{9, 5, 4, 9, 6, 4});
}

TEST_CASE("an assignment through a view of a value of every task") {
  tasks const all(simulated_tasks{2});
  row x = numbers({1, 2, 3});
  slice(view(x), range(0, 1)) = on("/task:1/cpu:0", numbers({4}) + 0.f);
  CHECK(values(x) == std::vector<float>{4, 2, 3});
  row const y = each_task([](task t) { return row(numbers({5}) + static_cast<float>(t.index)); });
  CHECK_THROWS_WITH(slice(view(x), range(0, 1)) = y, ContainsSubstring("Write all_sum(x)"));
  CHECK(values(x) == std::vector<float>{4, 2, 3});
  row owned = on("/task:1/cpu:0", numbers({1}) + 0.f);
  CHECK_THROWS_WITH(at_chief([&] { slice(view(owned), range(0, 1)) = 1.f; }),
                    ContainsSubstring("concerns other tasks"));
}
