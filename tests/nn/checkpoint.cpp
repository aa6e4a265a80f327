// Checkpoints: a run with a restart is the same run, and a wrong file changes nothing.
#include <placement/nn.hpp>

#include <nn/checkpoint_run.hpp>

#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace placement;
using namespace checkpoints;

namespace {

auto perceptron() {
  return nn::sequential(extents<6>{}, nn::dense<8>{}, nn::relu, nn::dropout(0.3), nn::dense<3>{});
}

}  // namespace

TEST_CASE("checkpoint.A perceptron with dropout continues bit for bit, by Adam and momentum") {
  check_restart(perceptron, nn::adam(0.01));
  check_restart(perceptron, nn::sgd({.rate = 0.05, .momentum = 0.9}));
  check_restart(perceptron, nn::sgd(0.05));
}
TEST_CASE("checkpoint.Variables and slots are restored where the variables are") {
  temporary_folder const folder;
  std::string const path = folder / "run.npz";
  run a(nn::to("/cpu:0", perceptron()), nn::adam(0.01));
  {
    with_device const cpu("/cpu:0");
    a.train(3);
  }
  a.parts().save(path);
  run b(nn::to("/gpu:1", perceptron()), nn::adam(0.01));
  b.parts().restore(path);
  CHECK(b.all() == a.all());
  nn::for_each_variable(b.net, [](auto const&, auto const& v) {
    CHECK(v.where() == gpu1);
    CHECK(v.requested() == device_spec(gpu1));
  });
  for (auto const& v : b.optimizer.state().slots.all())
    for (auto const& s : v.slots) CHECK(s.elements->where() == gpu1);
  b.train(2);
}

TEST_CASE("checkpoint.A file has TensorFlow's names of slots, and numbers") {
  temporary_folder const folder;
  run a(perceptron(), nn::adam(0.01));
  a.train(1);
  a.parts().save(folder / "adam.npz");
  npz_file const file(folder / "adam.npz");
  std::vector<std::string> const names = file.names();
  CHECK(names == std::vector<std::string>{
                     "dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias", "Adam/step",
                     "Adam/variables", "dense/kernel/Adam", "dense/kernel/Adam_1",
                     "dense/bias/Adam", "dense/bias/Adam_1", "dense_1/kernel/Adam",
                     "dense_1/kernel/Adam_1", "dense_1/bias/Adam", "dense_1/bias/Adam_1", "dataset",
                     "random_state"});
  CHECK(item(file.load<std::int64_t, 0>("Adam/step")) == 1);
  CHECK(to_vector(file.load<float, 2>("dense/kernel")) ==
        to_vector(a.net.layer<0>().kernel.value()));
  CHECK(file.info("dense/kernel/Adam_1").shape == std::vector<index_t>{6, 8});
  auto const slots_of = [&](auto optimizer) {
    nn::variable w("w", tensor{1.f});
    optimizer.apply(w, std::tuple{tensor{1.f}});
    nn::checkpoint(w, optimizer).save(folder / "w.npz");
    std::vector<std::string> all = npz_file(folder / "w.npz").names();
    std::erase_if(all, [](std::string const& n) { return !n.starts_with("w/"); });
    return all;
  };
  CHECK(slots_of(nn::adamw(0.1)) == std::vector<std::string>{"w/AdamW", "w/AdamW_1"});
  CHECK(slots_of(nn::rmsprop(0.1)) == std::vector<std::string>{"w/RMSProp", "w/RMSProp_1"});
  CHECK(slots_of(nn::sgd({.rate = 0.1, .momentum = 0.5})) ==
        std::vector<std::string>{"w/Momentum"});
  CHECK(slots_of(nn::sgd(0.1)).empty());
}

TEST_CASE("checkpoint.All differences are one error, and nothing is restored") {
  temporary_folder const folder;
  std::string const path = folder / "run.npz";
  nn::variable const a("a", tensor{1.f, 2.f}), b("b", tensor{3.f}), c("c", tensor{4.f});
  nn::adam adam(0.1);
  auto saved = std::tuple(a, b, c);
  auto refs = std::tie(std::get<0>(saved), std::get<1>(saved), std::get<2>(saved));
  adam.apply(refs, std::tuple{tensor{1.f, 1.f}, tensor{1.f}, tensor{1.f}});
  nn::checkpoint(refs, adam).save(path);

  nn::variable other_shape("a", tensor{5.f, 6.f, 7.f});
  nn::variable other_type("b", tensor{1.0});
  nn::variable missing("d", tensor{9.f});
  nn::sgd momentum({.rate = 0.1, .momentum = 0.9});
  momentum.apply(std::tie(other_shape, other_type, missing),
                 std::tuple{tensor{1.f, 1.f, 1.f}, tensor{1.0}, tensor{1.f}});
  std::vector<float> const before = to_vector(other_shape.value());
  run digits(perceptron(), nn::adam(0.1));
  digits.train(1);
  auto const position = digits.examples.state();
  set_seed(77);
  nn::checkpoint wrong(std::tie(other_shape, other_type, missing), momentum, digits.examples);
  CHECK(folder.without_path(error_message<file_error>([&] { wrong.restore(path); })) ==
        "placement: 'run.npz' does not fit: 'a' has shape [3], but in the file [2]; 'b' is double, "
        "but in the file float; 'd' is not in the file; 'Momentum/step' is not in the file; "
        "'Momentum/variables' is not in the file; 'a/Momentum' is not in the file; 'b/Momentum' is "
        "not in the file; 'd/Momentum' is not in the file; 'dataset' is not in the file; 'c' is in "
        "the file only; 'Adam/step' is in the file only; 'Adam/variables' is in the file only; "
        "'a/Adam' is in the file only; 'a/Adam_1' is in the file only; 'b/Adam' is in the file "
        "only; 'b/Adam_1' is in the file only; 'c/Adam' is in the file only; 'c/Adam_1' is in the "
        "file only. Nothing was restored. Give the parts that were saved, or "
        "nn::checkpoint_match::partial for arrays in the file only.");
  CHECK(to_vector(other_shape.value()) == before);
  CHECK(momentum.step() == 1);
  CHECK(momentum.state().slots.all().size() == 3);
  CHECK(digits.examples.state() == position);
  CHECK(current_random_state() == random_state{77, 0});
}

TEST_CASE("checkpoint.A file of a larger model is restored in part if that is allowed") {
  temporary_folder const folder;
  std::string const path = folder / "run.npz";
  nn::variable a("a", tensor{1.f, 2.f}), b("b", tensor{3.f});
  nn::checkpoint(std::tie(a, b)).save(path);
  nn::variable only("a", tensor{0.f, 0.f});
  nn::checkpoint small(only);
  CHECK(folder.without_path(error_message<file_error>([&] { small.restore(path); }))
            .starts_with("placement: 'run.npz' does not fit: 'b' is in the file only. Nothing"));
  CHECK(to_vector(only.value()) == std::vector{0.f, 0.f});
  small.restore(path, nn::checkpoint_match::partial);
  CHECK(to_vector(only.value()) == std::vector{1.f, 2.f});
}

TEST_CASE("checkpoint.A truncated or damaged file changes nothing") {
  temporary_folder const folder;
  std::string const path = folder / "run.npz";
  run a(perceptron(), nn::adam(0.01));
  a.train(2);
  a.parts().save(path);
  std::string const bytes = folder.read("run.npz");
  run b(perceptron(), nn::adam(0.01));
  b.train(1);
  std::vector<float> const before = b.all();
  random_state const random = current_random_state();
  for (std::size_t const length :
       {std::size_t{0}, std::size_t{1}, bytes.size() / 2, bytes.size() - 1}) {
    folder.write("run.npz", bytes.substr(0, length));
    CHECK_FALSE(error_message<file_error>([&] { b.parts().restore(path); }).empty());
  }
  std::string damaged = bytes;
  damaged[damaged.find("dense_1/kernel.npy") + 260] ^= 1;
  folder.write("run.npz", damaged);
  CHECK(error_message<file_error>([&] { b.parts().restore(path); }).find("checksum") !=
        std::string::npos);
  CHECK(b.all() == before);
  CHECK(current_random_state() == random);
  folder.write("run.npz", bytes);
  b.parts().restore(path);
  CHECK(b.all() == a.all());
}

TEST_CASE("checkpoint.A write that fails leaves the old file") {
  temporary_folder const folder;
  std::string const path = folder / "run.npz";
  nn::variable a("a", tensor{1.f}), same("a", tensor{2.f});
  nn::checkpoint(a).save(path);
  std::string const bytes = folder.read("run.npz");
  nn::checkpoint twice(std::tie(a, same));
  CHECK(error_message<invalid_argument>([&] { twice.save(path); }) ==
        "placement: a checkpoint has two arrays 'a'. Give each variable its own name, or save "
        "parts in files of their own.");
  nn::adam adam(0.1);
  nn::variable b("b", tensor{1.f, 2.f});
  adam.apply(b, std::tuple{tensor{1.f, 1.f}});
  nn::checkpoint mixed(a, adam);
  CHECK(error_message<invalid_argument>([&] { mixed.save(path); }) ==
        "placement: the optimizer 'Adam' has not updated the model before it in this checkpoint. "
        "Give each optimizer behind its model.");
  CHECK(folder.read("run.npz") == bytes);
  CHECK(folder.count() == 1);
}

TEST_CASE("checkpoint.A dataset of another seed or size is named") {
  temporary_folder const folder;
  tensor const x{{1.f}, {2.f}, {3.f}};
  tensor<int, dextents<1>> const y{0, 1, 2};
  dataset one(x, y, {.seed = 1}), other(x, y, {.seed = 2});
  static_cast<void>(one.next_batch(2));
  nn::checkpoint(one).save(folder / "d.npz");
  CHECK(
      folder
          .without_path(
              error_message<file_error>([&] { nn::checkpoint(other).restore(folder / "d.npz"); }))
          .starts_with("placement: 'd.npz' does not fit: 'dataset' is of a dataset with 3 examples "
                       "and seed 1, not of one with 3 examples and seed 2. Nothing"));
  CHECK(error_message<invalid_argument>([&] { other.set_state(one.state()); }) ==
        "placement: a dataset of 3 examples, seed 2, shuffled cannot continue at example 2 of one "
        "of 3 examples, seed 1, shuffled. Give the same examples and options.");
  dataset again(x, y, {.seed = 1});
  static_cast<void>(again.next_batch(1));
  nn::checkpoint(again).restore(folder / "d.npz");
  CHECK(to_vector(again.next_batch(2).labels) == to_vector(one.next_batch(2).labels));
}

TEST_CASE("checkpoint.All element types and empty variables are kept") {
  temporary_folder const folder;
  auto const make = [](float v) {
    return std::tuple(nn::variable("bf", cast<bfloat16>(tensor{v, 2 * v})),
                      nn::variable("half", cast<float16>(tensor{v})),
                      nn::variable("step", tensor<std::int64_t, extents<>>(static_cast<int>(v))),
                      nn::variable("flag", tensor{v > 1.f}),
                      nn::variable("none", zeros<float>(0, 3)));
  };
  auto a = make(3.f), b = make(0.f);
  auto const refs = [](auto& t) {
    return std::apply([](auto&... v) { return std::tie(v...); }, t);
  };
  nn::checkpoint(refs(a)).save(folder / "t.npz");
  nn::checkpoint(refs(b)).restore(folder / "t.npz");
  CHECK(to_vector(tensor<float, dextents<1>>(cast<float>(std::get<0>(b).value()))) ==
        std::vector{3.f, 6.f});
  CHECK(to_vector(tensor<float, dextents<1>>(cast<float>(std::get<1>(b).value()))) ==
        std::vector{3.f});
  CHECK(item(std::get<2>(b).value()) == 3);
  CHECK(to_vector(std::get<3>(b).value()) == std::vector{true});
}
