// gpus: 2
// Each call of the GPUs' platform fails once within a step of two towers. The error names the tower
// or the variable, and the variables are as before.
#include <placement/parallel.hpp>

#include <placement/device/simulated.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/faulty_platform.hpp>
#include <support/log_lines.hpp>

#include <cstddef>
#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using parallel::any_policy;
using parallel::replicated;
using parallel::tower;
using parallel::towers;

namespace {

faulty_platform& faulty() {
  static simulated_platform inner({.count = 2});
  static auto& outer = *new faulty_platform(inner);
  return outer;
}
auto make_net() {
  set_seed(5);
  return nn::sequential(extents<6>{}, nn::dense<5>{},
                        nn::batch_norm<nn::without_scale>{.decay = 0.9}, nn::relu, nn::dense<3>{});
}
struct step_loss {
  tensor<float, dextents<2>> x = on("/cpu:0", reshape(iota(shape(48), 0.f, 0.7f), shape(8, 6)));
  template <class Net> tensor<float, extents<>> operator()(tower const& t, Net& m) const {
    return mean(square(m(t.slice(x), nn::training)));
  }
};
template <class M> std::vector<float> values_of(M const& model) {
  std::vector<float> all;
  nn::for_each_variable(model, [&](std::string const&, auto const& v) {
    for (float const f : to_vector(v.value())) all.push_back(f);
  });
  return all;
}

/// Fails the k-th call of a kind in the second step, for each k. Returns how often it failed.
int fail_each_call(any_policy const& policy, call kind) {
  step_loss const loss;
  std::vector<float> first, second;
  int failures = 0;
  for (int k = 0;; ++k) {
    replicated model(towers({.threads = parallel::tower_threads::one}), make_net(), policy);
    nn::sgd sgd(0.1);
    model.minimize(sgd, loss);
    if (k == 0) first = values_of(model.model());
    faulty().fail(kind, k);
    bool has_failed = false;
    try {
      model.minimize(sgd, loss);
      for (int i = 0; i != 2; ++i) synchronize(model.on().where(i));
    } catch (std::exception const& e) {
      has_failed = true;
      std::string const what = e.what();
      INFO(what);
      CHECK((what.find("tower_") != what.npos || what.find("variable '") != what.npos));
    }
    faulty().fail(kind, 0);
    if (k == 0) {
      REQUIRE(!has_failed);
      second = values_of(model.model());
      continue;
    }
    if (!has_failed) return failures;
    ++failures;
    INFO("call " << k << " of kind " << static_cast<int>(kind));
    CHECK(values_of(model.model()) == first);
    CHECK(sgd.step() == 1);
    model.minimize(sgd, loss);
    CHECK(values_of(model.model()) == second);
  }
}

}  // namespace

TEST_CASE("a copy that fails in a step of towers changes no variable") {
  register_gpu_platform(faulty());
  CHECK(fail_each_call(parallel::first_tower{}, call::copy) > 10);
  CHECK(fail_each_call(parallel::central{}, call::copy) > 10);
}

TEST_CASE("the error of a copy names the tower and the variable") {
  register_gpu_platform(faulty());
  replicated model(towers({.threads = parallel::tower_threads::one}), make_net());
  std::string const message = error_message([&] {
    model.run([&](tower const& t, auto&) {
      if (t.index() == 0) faulty().fail(call::copy, 1);
    });
  });
  CHECK_THAT(message, ContainsSubstring("placement: tower_1 on /GPU:1 of 2 towers: "
                                        "placement: variable 'dense/kernel': "));
}
