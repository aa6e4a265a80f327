// gpus: 4
// Towers at once: shared operands, exchanges, errors, memory that runs out, CPUs. Also run under
// the thread sanitizer.
#include <placement/gradient.hpp>

#include <placement/nn/sgd.hpp>
#include <placement/parallel/exchange.hpp>
#include <placement/parallel/replicated.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/log_lines.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using parallel::tower;
using parallel::tower_error;
using parallel::towers;

namespace {

using vector_f = tensor<float, dextents<1>>;

struct line {
  nn::variable<float, extents<4>> w{"w", zeros<float>(4)};
  auto parts() { return std::tie(w); }
  auto parts() const { return std::tie(w); }
};

}  // namespace

TEST_CASE("towers exchange values many times") {
  towers const all;
  vector_f const shared = constant(1.f, shape(64));
  auto const sums = all.run([&](tower const& t) {
    vector_f x = shared * static_cast<float>(t.index() + 1);
    for (int round = 0; round != 50; ++round)
      x = all_reduce(t, x, parallel::reduction::mean) + static_cast<float>(t.index());
    return x;
  });
  // Each round adds the mean of the numbers before: 1.5.
  for (int i = 0; i != 4; ++i)
    CHECK(to_vector(sums[static_cast<std::size_t>(i)]) ==
          std::vector<float>(64, 2.5f + 1.5f * 49 + static_cast<float>(i)));
}

TEST_CASE("towers throw in turn while others wait") {
  towers const all;
  for (int failing = 0; failing != 4; ++failing) {
    try {
      all.run([&](tower const& t) {
        vector_f x = constant(1.f, shape(8));
        for (int round = 0; round != 5; ++round) {
          if (round == failing && t.index() == failing) throw std::runtime_error("lost");
          x = all_reduce(t, x);
        }
      });
      FAIL("no exception");
    } catch (tower_error const& e) {
      CHECK(e.tower() == failing);
      CHECK_THAT(e.what(), ContainsSubstring(": lost"));
    }
  }
}

TEST_CASE("memory that runs out in one tower is its error, and nothing is updated") {
  auto const gpus = list_physical_devices("GPU");
  set_logical_device_limits(gpus[1], {std::size_t{1} << 20});
  parallel::replicated model(towers(2), line{});
  nn::sgd sgd(0.1);
  auto const step = [](tower const& t, line& l) {
    tensor<float, dextents<2>> const big = ones<float>(t.index() == 0 ? 4 : (1 << 20), 4);
    return tensor<float, extents<>>(mean(big * l.w.value()));
  };
  std::string const message = error_message<tower_error>([&] { model.minimize(sgd, step); });
  CHECK_THAT(message, ContainsSubstring("tower_1 on /GPU:1 of 2 towers: "));
  CHECK_THAT(message, ContainsSubstring("out of memory"));
  CHECK(to_vector(model.model().w.value()) == std::vector<float>(4, 0.f));
  CHECK(sgd.step() == 0);
  auto const small = [](tower const&, line& l) {
    return tensor<float, extents<>>(mean(ones<float>(4, 4) * l.w.value()));
  };
  model.minimize(sgd, small);
  CHECK(to_vector(model.model().w.value()) == std::vector<float>(4, -0.025f));
}

TEST_CASE("towers run on parts of the CPU") {
  set_logical_device_configuration(list_physical_devices("CPU")[0], {{}, {}});
  parallel::replicated model(towers({"/cpu:0", "/cpu:1"}), line{}, parallel::mirrored{});
  nn::sgd sgd(0.1);
  vector_f const x{1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f};
  model.minimize(sgd, [&](tower const& t, line& l) {
    return tensor<float, extents<>>(sum(t.slice(x) * l.w.value()));
  });
  CHECK(model.model_of(1).w.where() == device{kind::cpu, 1});
  CHECK(to_vector(model.model_of(1).w.value()) == to_vector(model.model().w.value()));
  CHECK(to_vector(model.model().w.value())[0] == -0.1f * 3);
}
