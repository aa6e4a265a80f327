// reduce_to, broadcast, all_gather, reduce_scatter; log lines, counted copies and errors of all.
#include <placement/parallel/all_gather.hpp>
#include <placement/parallel/all_reduce.hpp>
#include <placement/parallel/broadcast.hpp>
#include <placement/parallel/reduce_scatter.hpp>
#include <placement/parallel/reduce_to.hpp>
#include <placement/placement.hpp>

#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace placement;
using namespace placement::literals;
using namespace placement::parallel;

namespace {

using floats = tensor<float, dextents<1>>;

std::vector<device> all_devices() {
  std::vector<device> all;
  for (int i = 0; i != gpus_of_test(); ++i) all.push_back({kind::gpu, i});
  all.push_back(cpu0);
  return all;
}
/// (k + 1, k + 2, ...) on each device k.
std::vector<floats> counted_on(std::vector<device> const& where, index_t n) {
  std::vector<floats> x;
  for (std::size_t k = 0; k != where.size(); ++k) {
    std::vector<float> values;
    for (index_t i = 0; i != n; ++i)
      values.push_back(static_cast<float>(k + 1) + static_cast<float>(i));
    x.push_back(copy_to(where[k], from(values, shape(n))));
  }
  return x;
}
std::vector<float> numbers(floats const& x) { return to_vector(x); }

/// The copies that a call makes, and their bytes.
template <class Call> std::pair<std::size_t, std::size_t> copies_of(Call const& call) {
  copy_count const before = all_copies();
  call();
  copy_count const after = all_copies();
  return {after.copies - before.copies, after.bytes - before.bytes};
}
using counted = std::pair<std::size_t, std::size_t>;

/// Work that blocks its queue until it is opened.
class gate final : public host_work {
 public:
  explicit gate(std::atomic<bool> const& is_open) : is_open_(is_open) {}
  void run() noexcept override { is_open_.wait(false); }

 private:
  std::atomic<bool> const& is_open_;
};

/// Without the location, which ends a message.
std::string without_location(std::string const& text) { return text.substr(0, text.find(" At ")); }

}  // namespace

TEST_CASE("reduce_to averages the tensors of towers on one device, in both forms") {
  std::vector<device> const where = all_devices();
  auto const x = counted_on(where, 5);
  auto const count = static_cast<float>(where.size());
  for (reduce_form const form : {reduce_form::fused, reduce_form::concat}) {
    floats const mean = reduce_to(cpu0, x, reduction::mean, form);
    floats const sum = reduce_to(where[0], x, reduction::sum, form);
    CHECK(mean.where() == cpu0);
    CHECK(sum.where() == where[0]);
    for (index_t i = 0; i != 5; ++i) {
      float const first = (count + 1) / 2 + static_cast<float>(i);
      CHECK(numbers(mean)[static_cast<std::size_t>(i)] == first);
      CHECK(numbers(sum)[static_cast<std::size_t>(i)] == first * count);
    }
  }
  std::vector<floats> const twice{x[0], x[0]};
  CHECK(numbers(reduce_to(cpu0, twice))[0] == 2);
  std::vector<floats> many(11, x[0]);
  CHECK(numbers(reduce_to(where[0], many, reduction::mean)) == numbers(x[0]));
  std::vector<floats> const one{x[0]};
  CHECK(numbers(reduce_to("/cpu:0", one, reduction::mean)) == numbers(x[0]));
}

TEST_CASE("reduce_to logs the fused ops, or those of TensorFlow's towers") {
  std::vector<floats> x{tensor{1.f, 2.f}, tensor{3.f, 4.f}};
  for (auto& each : x) each = copy_to(cpu0, each);
  log_lines log;
  set_log_level(log_level::all);
  static_cast<void>(reduce_to(cpu0, x, reduction::mean));
  auto const fused = log.take_all();
  set_log_format(log_format::tf2);
  static_cast<void>(reduce_to(cpu0, x, reduction::mean, reduce_form::concat));
  auto const joined = log.take_all();
  REQUIRE(fused.size() == 2);
  CHECK(fused[0].starts_with("placement: AddN<float> [2] on /CPU:0 'reduce_to'"));
  CHECK(fused[0].find(", fused into Div") != std::string::npos);
  CHECK(fused[1].starts_with("placement: Div<float> [2] on /CPU:0 'reduce_to'"));
  std::string const on_cpu = " in device /job:localhost/replica:0/task:0/device:CPU:0";
  CHECK(joined == lines_of{"Executing op ExpandDims" + on_cpu, "Executing op ExpandDims" + on_cpu,
                           "Executing op ConcatV2" + on_cpu, "Executing op Mean" + on_cpu});
}

TEST_CASE("broadcast, all_gather and reduce_scatter have one result per device") {
  std::vector<device> const where = all_devices();
  auto const k = static_cast<index_t>(where.size());
  auto const x = counted_on(where, 2 * k);
  auto const everywhere = broadcast(x[0], where);
  auto const joined = all_gather(x);
  auto const parts = reduce_scatter(x, reduction::mean);
  auto const whole = all_reduce(x, reduction::mean);
  for (std::size_t i = 0; i != where.size(); ++i) {
    CHECK(everywhere[i].where() == where[i]);
    CHECK(numbers(everywhere[i]) == numbers(x[0]));
    CHECK(joined[i].where() == where[i]);
    std::vector<float> all;
    for (auto const& each : x)
      for (float const v : numbers(each)) all.push_back(v);
    CHECK(numbers(joined[i]) == all);
    CHECK(parts[i].where() == where[i]);
    std::vector<float> const mean = numbers(whole[i]);
    CHECK(numbers(parts[i]) == std::vector<float>{mean[2 * i], mean[2 * i + 1]});
  }
}

TEST_CASE("results of collectives share no memory with each other") {
  std::vector<device> const where = all_devices();
  auto const x = counted_on(where, 64);
  auto y = all_reduce(x, reduction::sum, all_reduce_algorithm::scatter);
  auto part = reduce_scatter(std::vector<floats>{x[0]});
  float const before = numbers(x[0])[0], other = numbers(y.back())[0];
  part[0] += 1.f;
  CHECK(numbers(x[0])[0] == before);
  y[0] += 1.f;
  CHECK(numbers(x[0])[0] == before);
  if (y.size() > 1) CHECK(numbers(y.back())[0] == other);
}

TEST_CASE("collectives count their copies and bytes") {
  std::vector<device> const where = all_devices();
  std::size_t const k = where.size(), n = 64 * k, bytes = n * sizeof(float);
  auto const x = counted_on(where, static_cast<index_t>(n));
  auto const reduced_by = [&](all_reduce_options how) {
    return copies_of([&] { static_cast<void>(all_reduce(x, reduction::sum, how)); });
  };
  std::size_t const all = 2 * (k - 1) * bytes;
  CHECK(reduced_by({}) == counted{2 * (k - 1), all});
  CHECK(reduced_by(all_reduce_algorithm::one_device) == counted{2 * (k - 1), all});
  CHECK(reduced_by(all_reduce_algorithm::scatter) == counted{2 * k * (k - 1), all});
  CHECK(reduced_by({fast, all_reduce_algorithm::ring}) == counted{2 * k * (k - 1), all});
  CHECK(copies_of([&] { static_cast<void>(reduce_to(where[0], x)); }) ==
        counted{k - 1, (k - 1) * bytes});
  CHECK(copies_of([&] { static_cast<void>(broadcast(x[0], where)); }) ==
        counted{k - 1, (k - 1) * bytes});
  CHECK(copies_of([&] { static_cast<void>(all_gather(x)); }) ==
        counted{k * (k - 1), k * (k - 1) * bytes});
  CHECK(copies_of([&] { static_cast<void>(reduce_scatter(x)); }) ==
        counted{k * (k - 1), (k - 1) * bytes});
}

TEST_CASE("all_reduce of one tensor shares its elements, under any budget") {
  floats const x{1.f, 2.f};
  with_device const here("/cpu:0", no_copies);
  auto const y = all_reduce(std::vector<floats>{x}, reduction::mean);
  CHECK(y[0].data() == x.data());
}

TEST_CASE("budgets and transfer policies hold for collectives, and operands stay") {
  std::vector<device> const where = all_devices();
  if (where.size() < 2) return;
  auto const x = counted_on(where, 8);
  with_device const here("/cpu:0", no_copies);
  for (auto const how : {all_reduce_algorithm::one_device, all_reduce_algorithm::scatter})
    CHECK(error_message<placement_error>([&] { all_reduce(x, reduction::sum, how); })
              .starts_with(
                  "placement: at most 0 copies are allowed here, and an operand of all_reduce "
                  "on "));
  CHECK(
      error_message<placement_error>([&] { broadcast(x[0], where); })
          .starts_with("placement: at most 0 copies are allowed here, and an operand of broadcast "
                       "on /GPU:0 would be another, to "));
  set_transfer_policy(transfers::refuse);
  CHECK(error_message<placement_error>([&] { broadcast(x[0], {cpu0}); })
            .starts_with("placement: explicit transfers: broadcast copies elements from /GPU:0 to "
                         "/CPU:0 at "));
  set_transfer_policy(transfers::silent);
  CHECK(numbers(x[0])[0] == 1);
}

TEST_CASE("all_reduce logs its ops and copies under its name") {
  if (gpus_of_test() < 2) return;
  auto const x = counted_on({device{kind::gpu, 0}, device{kind::gpu, 1}}, 4);
  log_lines log;
  set_log_level(log_level::all);
  static_cast<void>(all_reduce(x, reduction::mean));
  auto const lines = log.take_all();
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("placement: copy of 16 B from /GPU:1 to /GPU:0 for Div"));
  CHECK(lines[1].starts_with("placement: AddN<float> [4] on /GPU:0 (simulated) 'all_reduce'"));
  CHECK(lines[2].starts_with("placement: Div<float> [4] on /GPU:0 (simulated) 'all_reduce'"));
  CHECK(lines[3].starts_with("placement: copy of 16 B from /GPU:0 to /GPU:1 for all_reduce"));
}

TEST_CASE("errors of collectives name position, shape and device") {
  auto const message = [](auto const& call) {
    return without_location(error_message<error>(call));
  };
  floats const a{1.f, 2.f}, b{1.f, 2.f, 3.f};
  floats const x = copy_to(cpu0, a), y = copy_to(cpu0, b);
  CHECK(message([] { all_reduce(std::vector<floats>{}); }) ==
        "placement: all_reduce of no tensors. Give one for each device.");
  CHECK(message([&] { all_reduce(std::vector<floats>{x, x}); }) ==
        "placement: all_reduce of two tensors on one device: tensor 0 of shape [2] on /CPU:0, "
        "tensor 1 of shape [2] on /CPU:0. Give one tensor for each device, or add them with add_n "
        "before.");
  CHECK(message([&] { reduce_to(cpu0, std::vector<floats>{x, x, y}); }) ==
        "placement: reduce_to of different shapes: tensor 0 of shape [2] on /CPU:0, tensor 2 of "
        "shape [3] on /CPU:0. Give tensors of one shape.");
  std::vector<floats> moved{x, x};
  floats const taken = std::move(moved[1]);
  CHECK(message([&] { reduce_to(cpu0, moved); }) ==
        "placement: reduce_to of a tensor without elements: tensor 1 of shape [2] was moved from. "
        "Assign to it before it is read.");
  CHECK(message([&] { all_reduce(std::vector<floats>{x}, {}, all_reduce_algorithm::ring); }) ==
        "placement: all_reduce by a ring adds in another order than add_n. Write {fast, "
        "all_reduce_algorithm::ring}, or choose another algorithm.");
  std::vector<tensor<std::int32_t, dextents<1>>> const whole{copy_to(cpu0, tensor{1, 2})};
  CHECK(message([&] { all_reduce(whole, reduction::mean); }) ==
        "placement: all_reduce of int32: a mean is of floating point. Write reduction::sum, or "
        "cast<float>(x).");
  CHECK(message([&] { reduce_to(cpu0, whole, {}, reduce_form::concat); }) ==
        "placement: reduce_to of int32: reduce_form::concat is of floating point. Write "
        "reduce_form::fused, or cast<float>(x).");
  if (gpus_of_test() == 0) return;
  std::vector<floats> const uneven{y, copy_to("/gpu:0", b)};
  CHECK(message([&] { reduce_scatter(uneven); }) ==
        "placement: reduce_scatter over 2 devices of tensor 0 of shape [3] on /CPU:0: the first "
        "extent is no multiple of 2. Pad or slice the tensors.");
}

TEST_CASE("the host does not wait for the GPUs of an all_reduce") {
  if (gpus_of_test() < 2) return;
  std::vector<device> gpus = all_devices();
  gpus.pop_back();
  auto const x = counted_on(gpus, 10'000);
  for (all_reduce_options const how : {all_reduce_options{all_reduce_algorithm::one_device},
                                       all_reduce_options{all_reduce_algorithm::scatter},
                                       all_reduce_options{fast, all_reduce_algorithm::ring}}) {
    std::atomic<bool> is_open{false};
    for (device const d : gpus) logical(d).owner->run(logical(d).work, new gate(is_open));
    auto const y = all_reduce(x, reduction::sum, how);  // hangs if it waits for a queue
    is_open = true;
    is_open.notify_all();
    for (auto const& each : y) CHECK(numbers(each) == numbers(all_reduce(x)[0]));
  }
}

TEST_CASE("an all_reduce without memory on one device leaves its operands") {
  if (gpus_of_test() < 2) return;
  runtime const limited{memory::limit{4_MiB}};
  index_t const n = 1 << 18;
  std::vector<floats> x;
  for (int i = 0; i != 2; ++i)
    x.push_back(copy_to(device{kind::gpu, i}, zeros<float>(n) + static_cast<float>(i + 1)));
  floats const filler = copy_to(device{kind::gpu, 1}, zeros<float>(5 * n / 2) + 9.f);
  for (all_reduce_options const how : {all_reduce_options{all_reduce_algorithm::one_device},
                                       all_reduce_options{all_reduce_algorithm::scatter},
                                       all_reduce_options{fast, all_reduce_algorithm::ring}}) {
    CHECK_THROWS_AS(all_reduce(x, reduction::sum, how), out_of_memory);
    CHECK(numbers(x[0])[7] == 1);
    CHECK(numbers(x[1])[n - 1] == 2);
  }
  CHECK(numbers(filler)[0] == 9);
  CHECK(numbers(all_reduce(std::vector<floats>{x[0]})[0])[0] == 1);
}
