/// Trains a conv net on handwritten digits, on one device.
///
/// mnist_conv --net B --data folder/with/mnist --steps 100 --plot curves.svg

#include "nets.hpp"

#include "../mnist_towers/digits.hpp"

#include <placement/interop/dataset.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using namespace mnist;

constexpr char const* usage =
    R"(usage: mnist_conv [--net A|B] [--data DIR] [--steps N] [--batch N] [--seed N] [--plot FILE]

  --net A|B     A: biases and dropout (the default); B: batch normalisation
  --data DIR    real digits: DIR holds t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz
                (default: the environment variable PLACEMENT_MNIST_DIR, else generated digits)
  --steps N     updates by Adam with a rate of 0.001 (default: 1000)
  --batch N     images of a step (default: 1000)
  --seed N      of variables, dropout and the order of images (default: 1)
  --plot FILE   writes the loss and the accuracy of the printed steps as SVG
)";

struct usage_error : std::runtime_error {
  using runtime_error::runtime_error;
};

struct options {
  std::string net = "A";
  std::string data = std::getenv("PLACEMENT_MNIST_DIR") ? std::getenv("PLACEMENT_MNIST_DIR") : "";
  int steps = 1000, batch = 1000, seed = 1;
  std::string plot;
};

int number(std::string const& option, std::string const& text) {
  if (text.empty() || text.size() > 6 ||
      text.find_first_not_of("0123456789") != std::string::npos || std::stoi(text) < 1)
    throw usage_error(option + " takes a number from 1 to 999999, not '" + text + "'");
  return std::stoi(text);
}
options read_options(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; ++i) {
    std::string const name = arguments[i];
    auto const value = [&]() -> std::string {
      if (++i == count) throw usage_error(name + " needs a value");
      return arguments[i];
    };
    if (name == "--net") o.net = value();
    else if (name == "--data") o.data = value();
    else if (name == "--steps") o.steps = number(name, value());
    else if (name == "--batch") o.batch = number(name, value());
    else if (name == "--seed") o.seed = number(name, value());
    else if (name == "--plot") o.plot = value();
    else throw usage_error("there is no option '" + name + "'");
  }
  if (o.net != "A" && o.net != "B") throw usage_error("--net is A or B, not '" + o.net + "'");
  return o;
}

/// The values of the printed steps.
struct curves {
  std::vector<int> step;
  std::vector<float> loss, accuracy;
};

/// Two lines in a square of 100 x 100: the loss from 0 to the largest, the accuracy from 0 to 1.
std::string picture_of(curves const& c) {
  float largest = 1e-6f;
  for (float l : c.loss) largest = l > largest ? l : largest;
  auto const line = [&](std::vector<float> const& y, float top, char const* color) {
    std::string points;
    for (std::size_t i = 0; i != y.size(); ++i) {
      double const x = 100. * c.step[i] / c.step.back(),
                   up = 100. * static_cast<double>(y[i] / top);
      points += std::to_string(x) + "," + std::to_string(100 - up) + " ";
    }
    return "<polyline fill=\"none\" stroke=\"" + std::string(color) + "\" points=\"" + points +
           "\"/>\n";
  };
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-4 -4 108 108\">\n"
         "<rect width=\"100\" height=\"100\" fill=\"none\" stroke=\"#888\"/>\n" +
         line(c.loss, largest, "#c60") + line(c.accuracy, 1, "#268") + "</svg>\n";
}

/// The progress in one line that is rewritten, on a terminal only.
void show_progress(int step, int steps) {
  if (!isatty(STDERR_FILENO)) return;
  constexpr int width = 40;
  int const done = width * step / steps;
  std::fprintf(stderr, "\r[%s%s] %d/%d%s", std::string(static_cast<std::size_t>(done), '=').c_str(),
               std::string(static_cast<std::size_t>(width - done), ' ').c_str(), step, steps,
               step == steps ? "\n" : "");
}

template <class Net> void train(Net net, options const& o, digits const& all) {
  pl::index_t const cut = all.size() * 8 / 10;
  auto const images_of = [](digits const& d) {
    return pl::tensor(pl::reshape(d.images, pl::shape(d.size(), side, side, 1)));
  };
  digits const train_digits = part_of(all, 0, cut), test = part_of(all, cut, all.size());
  pl::dataset data(images_of(train_digits), train_digits.labels,
                   {.seed = static_cast<std::uint64_t>(o.seed)});
  nn::adam adam(0.001);
  curves printed;
  for (int step = 1; step <= o.steps; ++step) {
    auto const batch = data.next_batch(o.batch);
    adam.minimize([&] { return loss_of(net, batch.examples, batch.labels); }, net);
    show_progress(step, o.steps);
    if (step != 1 && step % 10 != 0) continue;
    scalar const loss = loss_of(net, batch.examples, batch.labels);
    scalar const accuracy = accuracy_of(net, batch.examples, batch.labels);
    std::printf("Step:%d:%s %s\n", step, to_string(loss).c_str(), to_string(accuracy).c_str());
    std::fflush(stdout);
    printed.step.push_back(step);
    printed.loss.push_back(pl::item(loss));
    printed.accuracy.push_back(pl::item(accuracy));
  }
  std::printf("Done\n");
  scalar const accuracy = accuracy_of(net, images_of(test), test.labels);
  std::printf("Testing Accuracy: %s\n", to_string(accuracy).c_str());
  if (o.plot.empty()) return;
  std::ofstream out(o.plot);
  out << picture_of(printed);
  out.close();
  if (!out) throw std::runtime_error(o.plot + ": cannot be written");
}

}  // namespace

int main(int count, char** arguments) try {
  options const o = read_options(count, arguments);
  digits const all = o.data.empty() ? generate_digits(2000) : read_digits(o.data);
  pl::set_seed(static_cast<std::uint64_t>(o.seed));
  if (o.net == "A") train(net_a(), o, all);
  else train(net_b(), o, all);
} catch (usage_error const& e) {
  std::fprintf(stderr, "mnist_conv: %s\n%s", e.what(), usage);
  return 2;
} catch (std::exception const& e) {
  std::fprintf(stderr, "mnist_conv: %s\n", e.what());
  return 1;
}
