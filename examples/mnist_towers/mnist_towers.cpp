/// Data-parallel training of two models of handwritten digits, with one tower per GPU and variables
/// on the CPU.
///
/// PLACEMENT_SIMULATED_GPUS=2 mnist_towers --data folder/with/mnist --log-one-step

#include "pictures.hpp"
#include "step_log.hpp"
#include "training.hpp"

#include <placement/interop/memory_timeline.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace {

using namespace mnist;

constexpr char const* usage =
    R"(usage: mnist_towers [--data DIR] [--towers K] [--epochs N] [--model M] [--log-one-step]
                    [--pictures DIR]

  --data DIR       real digits: DIR holds t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz
                   (default: the environment variable PLACEMENT_MNIST_DIR, else generated digits)
  --towers K       parts of each batch, one for each GPU (default: as many as there are GPUs)
  --epochs N       passes over the training digits (default: 10)
  --model M        softmax, mlp or both (the default)
  --log-one-step   first print where each op of one step runs
  --pictures DIR   write loss.svg (the loss over the steps), and three pictures of what ran:
                   trace.json, memory.html (who held the memory) and plan.html (where a step runs)
)";

constexpr int max_towers = batch_size;

struct options {
  std::string data = std::getenv("PLACEMENT_MNIST_DIR") ? std::getenv("PLACEMENT_MNIST_DIR") : "";
  int towers = std::clamp(pl::device_count(), 1, max_towers);
  int epochs = 10;
  std::string model = "both";
  bool log_one_step = false;
  std::string pictures;
};

struct usage_error : std::runtime_error {
  using runtime_error::runtime_error;
};

int number(std::string const& option, std::string const& text, int max) {
  if (text.empty() || text.size() > 4 ||
      text.find_first_not_of("0123456789") != std::string::npos || std::stoi(text) < 1 ||
      std::stoi(text) > max)
    throw usage_error(option + " takes a number from 1 to " + std::to_string(max) + ", not '" +
                      text + "'");
  return std::stoi(text);
}

options read_options(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; ++i) {
    std::string const name = arguments[i];
    auto value = [&]() -> std::string {
      if (++i == count) throw usage_error(name + " needs a value");
      return arguments[i];
    };
    if (name == "--log-one-step") o.log_one_step = true;
    else if (name == "--data") o.data = value();
    else if (name == "--towers") o.towers = number(name, value(), max_towers);
    else if (name == "--epochs") o.epochs = number(name, value(), 1000);
    else if (name == "--model") o.model = value();
    else if (name == "--pictures") o.pictures = value();
    else throw usage_error("there is no option '" + name + "'");
  }
  if (o.model != "softmax" && o.model != "mlp" && o.model != "both")
    throw usage_error("--model is softmax, mlp or both, not '" + o.model + "'");
  return o;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Shows the progress in one line that is rewritten, on a terminal only.
void show_progress(int pass, int passes, pl::index_t step, pl::index_t steps) {
  if (!isatty(STDERR_FILENO)) return;
  if (step < steps)
    std::fprintf(stderr, "\r  pass %d of %d, step %td of %td ", pass, passes, step, steps);
  else std::fprintf(stderr, "\r%50s\r", "");
}

template <class Model>
void log_one_step(digits const& train, std::vector<pl::device> const& towers) {
  trainer<Model> trial(towers);
  step_log const log;
  trial.step(train, 0, batch_size);
  std::printf("\nOne step of the %s, a line for each kernel:\n%s", std::string(Model::name).c_str(),
              log.lines().c_str());
}

/// A line of the final table.
struct result {
  std::string_view model;
  float loss = 0, accuracy = 0;
  double seconds = 0;
  curve losses{};  ///< one per step
};

template <class Model>
result train_and_test(digits const& train, digits const& test,
                      std::vector<pl::device> const& towers, int passes) {
  std::printf("\n%s\n  pass    loss  accuracy\n", std::string(Model::name).c_str());
  result r{.model = Model::name, .losses = {Model::name, {}}};
  double const start = seconds();
  trainer<Model> model(towers);
  for (int pass = 1; pass <= passes; ++pass) {
    r.loss = model.pass(train, [&](pl::index_t step, pl::index_t steps, float loss) {
      r.losses.loss.push_back(loss);
      show_progress(pass, passes, step, steps);
    });
    r.accuracy = model.accuracy(test);
    std::printf("  %4d %7.4f   %6.2f%%\n", pass, static_cast<double>(r.loss),
                100 * static_cast<double>(r.accuracy));
    std::fflush(stdout);
  }
  r.seconds = seconds() - start;
  return r;
}

void print_table(std::vector<result> const& results) {
  std::printf("\n%-30s %9s %9s %9s\n", "model", "loss", "accuracy", "seconds");
  for (result const& r : results)
    std::printf("%-30s %9.4f %8.2f%% %9.1f\n", std::string(r.model).c_str(),
                static_cast<double>(r.loss), 100 * static_cast<double>(r.accuracy), r.seconds);
}

void write(std::string const& file, std::string const& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot be written");
  std::printf("%s\n", file.c_str());
}

/// Records two steps of training as a trace and a memory timeline, and the plan of a step.
template <class Model>
void write_pages(std::string const& folder, digits const& train,
                 std::vector<pl::device> const& towers) {
  trainer<Model> trial(towers);
  {
    pl::trace ops(folder + "/trace.json");
    pl::memory_timeline memory(folder + "/memory.html");
    for (pl::index_t step = 0; step != 2; ++step) trial.step(train, 0, batch_size);
    memory.close();
    ops.close();
  }
  std::printf("\nThree pictures of what ran:\n%s/trace.json   (open it at ui.perfetto.dev)\n%s\n",
              folder.c_str(), (folder + "/memory.html").c_str());
  write(folder + "/plan.html", page_of_step(towers.front(), towers.back(), batch_size));
}

void write_pictures(std::string const& folder, digits const& train,
                    std::vector<pl::device> const& towers, std::vector<result> const& results) {
  std::vector<curve> curves;
  curves.reserve(results.size());
  for (result const& r : results) curves.push_back(r.losses);
  std::printf("\n");
  write(folder + "/loss.svg", picture_of_losses(curves));
  write_pages<softmax_regression>(folder, train, towers);
}

void run(options const& o) {
  digits const all = o.data.empty() ? generate_digits(2000) : read_digits(o.data);
  pl::index_t const cut = all.size() * 8 / 10;
  digits const train = part_of(all, 0, cut), test = part_of(all, cut, all.size());
  if (train.size() < batch_size) throw std::runtime_error("these are too few digits to train on");
  std::vector<pl::device> const towers = tower_devices(o.towers);

  std::printf("%s: the first %td to train on, the last %td to test on\n", all.source.c_str(),
              train.size(), test.size());
  std::printf("variables and averaging on /CPU:0, batches of %td, towers on", batch_size);
  for (pl::device d : towers) std::printf(" %s", to_string(d).c_str());
  std::printf("\n");

  bool const softmax = o.model != "mlp", mlp = o.model != "softmax";
  if (o.log_one_step && softmax) log_one_step<softmax_regression>(train, towers);
  if (o.log_one_step && !softmax) log_one_step<perceptron>(train, towers);
  std::vector<result> results;
  if (softmax) results.push_back(train_and_test<softmax_regression>(train, test, towers, o.epochs));
  if (mlp) results.push_back(train_and_test<perceptron>(train, test, towers, o.epochs));
  print_table(results);
  if (!o.pictures.empty()) write_pictures(o.pictures, train, towers, results);
}

}  // namespace

int main(int count, char** arguments) try {
  run(read_options(count, arguments));
} catch (usage_error const& e) {
  std::fprintf(stderr, "mnist_towers: %s\n%s", e.what(), usage);
  return 2;
} catch (std::exception const& e) {
  std::fprintf(stderr, "mnist_towers: %s\n", e.what());
  return 1;
}
