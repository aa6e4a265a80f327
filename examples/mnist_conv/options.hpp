#pragma once
/// The options of the command line.

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace mnist {

constexpr char const* usage =
    R"(usage: mnist_conv [--net A|B] [--data DIR] [--steps N] [--batch N] [--seed N] [--plot FILE]
                  [--towers K] [--policy P] [--threads T] [--log-one-step] [--save FILE]
                  [--save-every N] [--restore FILE] [--trace FILE]

  --net A|B       A: biases and dropout (the default); B: batch normalisation
  --data DIR      real digits: DIR holds t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz
                  (default: the environment variable PLACEMENT_MNIST_DIR, else generated digits)
  --steps N       updates by Adam with a rate of 0.001 (default: 1000)
  --batch N       images of a step, for each tower (default: 1000)
  --seed N        of variables, dropout and the order of images (default: 1)
  --plot FILE     writes the loss and the accuracy of the printed steps as SVG
  --towers K      trains on the first K GPUs of each task (default: 1, on CPU:0 without GPUs)
  --policy P      where the variables live: first_tower (the default), central, mirrored, sharded
  --threads T     one: all towers on one thread; per_tower (the default)
  --log-one-step  first prints where each op of one step runs
  --save FILE     writes a checkpoint after the last step
  --save-every N  writes it after each N steps, too
  --restore FILE  continues from a checkpoint
  --trace FILE    writes when each op ran, with a lane for each device: Perfetto shows it

Several tasks: mpirun -np 2 mnist_conv ..., or PLACEMENT_SIMULATED_TASKS=2 mnist_conv ...
)";

struct usage_error : std::runtime_error {
  using runtime_error::runtime_error;
};

struct options {
  std::string net = "A";
  std::string data = std::getenv("PLACEMENT_MNIST_DIR") ? std::getenv("PLACEMENT_MNIST_DIR") : "";
  int steps = 1000, batch = 1000, seed = 1, save_every = 0;
  int towers = 1;
  std::string policy = "first_tower", threads = "per_tower";
  bool log_one_step = false;
  std::string plot{}, save{}, restore{}, trace{};
};

inline int number(std::string const& option, std::string const& text) {
  if (text.empty() || text.size() > 6 ||
      text.find_first_not_of("0123456789") != std::string::npos || std::stoi(text) < 1)
    throw usage_error(option + " takes a number from 1 to 999999, not '" + text + "'");
  return std::stoi(text);
}
inline options read_options(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; ++i) {
    std::string const name = arguments[i];
    auto const value = [&]() -> std::string {
      if (++i == count) throw usage_error(name + " needs a value");
      return arguments[i];
    };
    auto const one_of = [&](std::initializer_list<char const*> all) {
      std::string const given = value();
      std::string names;
      for (std::string const each : all) {
        if (each == given) return given;
        names += (names.empty() ? "" : ", ") + each;
      }
      throw usage_error(name + " is one of " + names + ", not '" + given + "'");
    };
    if (name == "--net") o.net = value();
    else if (name == "--data") o.data = value();
    else if (name == "--steps") o.steps = number(name, value());
    else if (name == "--batch") o.batch = number(name, value());
    else if (name == "--seed") o.seed = number(name, value());
    else if (name == "--plot") o.plot = value();
    else if (name == "--towers") o.towers = number(name, value());
    else if (name == "--policy")
      o.policy = one_of({"first_tower", "central", "mirrored", "sharded"});
    else if (name == "--threads") o.threads = one_of({"one", "per_tower"});
    else if (name == "--log-one-step") o.log_one_step = true;
    else if (name == "--save") o.save = value();
    else if (name == "--save-every") o.save_every = number(name, value());
    else if (name == "--restore") o.restore = value();
    else if (name == "--trace") o.trace = value();
    else throw usage_error("there is no option '" + name + "'");
  }
  if (o.save_every != 0 && o.save.empty()) throw usage_error("--save-every needs --save");
  if (o.net != "A" && o.net != "B") throw usage_error("--net is A or B, not '" + o.net + "'");
  return o;
}

}  // namespace mnist
