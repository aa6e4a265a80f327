// The golden values of two conv nets on several devices: each tower takes its part of the batch.
#include <placement/parallel.hpp>

#include <catch2/catch_test_macros.hpp>
#include <support/golden_nets.hpp>

using namespace placement;
using parallel::any_policy;
using parallel::replicated;
using parallel::tower;
using parallel::towers;

namespace {

/// One step of all towers, whose averages must be TensorFlow's values for the whole batch.
template <class Net> Net check_step(Net net, any_policy policy, golden::step const& expected) {
  replicated model(towers(), golden::with_sines(std::move(net)), std::move(policy));
  tensor const x = golden::images();
  tensor const y = golden::labels();
  auto const g = model.gradients([&](tower const& t, Net& m) {
    return tensor<float, extents<>>(
        mean(softmax_cross_entropy(m(t.slice(x), nn::training), t.slice(y))));
  });
  double loss = 0;
  for (auto const& l : g.losses) loss += static_cast<double>(item(l));
  CHECK(golden::is_close(loss / static_cast<double>(g.losses.size()), expected.loss, 1e-6, 0));
  for (auto const& of_copy : g.gradients) golden::check_gradients(of_copy, expected);
  nn::adam adam(0.001);
  model.apply(adam, g);
  for (int i = 0; i != model.on().count(); ++i)
    golden::check_variables(model.model_of(i), expected);
  return model.model();
}

}  // namespace

#ifdef PLACEMENT_EVERY_COMBINATION  // each day net B alone: towers do not depend on the net
TEST_CASE("Towers train net A to TensorFlow's values") {
  for (any_policy const& policy :
       {any_policy(parallel::first_tower{}), any_policy(parallel::mirrored{}),
        any_policy(parallel::central{}), any_policy(parallel::sharded{})})
    check_step(golden::net_a(), policy, golden::step_of_net_a());
}
#endif

TEST_CASE("Towers train net B to TensorFlow's values if they normalise by the whole batch") {
  parallel::sync_batch_norm<nn::without_scale> const norm{.decay = 0.9, .epsilon = 1e-3};
  for (any_policy const& policy :
       {any_policy(parallel::first_tower{}), any_policy(parallel::mirrored{})})
    golden::check_statistics(check_step(golden::net_b(norm), policy, golden::step_of_net_b()));
}
