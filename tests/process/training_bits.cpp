// gpus: 2
// Steps of training have the same bits on the CPU, on one and two simulated GPUs, and with any
// number of threads. The program starts itself in other environments.
#include <placement/nn.hpp>

#include <catch2/catch_test_macros.hpp>
#include <support/golden_nets.hpp>

#include <unistd.h>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>

using namespace placement;

namespace {

/// A hash of numbers that differs where any bit differs. Source: Fowler, Noll, Vo: FNV-1a.
class bits {
 public:
  void add(float x) {
    auto const b = std::bit_cast<std::uint32_t>(x);
    for (int shift = 0; shift != 32; shift += 8)
      hash_ = (hash_ ^ ((b >> shift) & 0xffu)) * 0x100000001b3u;
  }
  template <class X> void add(tensor<float, X> const& t) {
    for (float const x : t.read()) add(x);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

/// Two steps of Adam: the bits of losses, gradients and variables.
template <class Net> std::uint64_t bits_of_training(Net net) {
  net = golden::with_sines(std::move(net));
  nn::adam adam(0.001);
  bits all;
  for (int step = 0; step != 2; ++step) {
    gradient_tape tape;
    nn::watch(tape, net);
    tensor<float, extents<>> const loss =
        mean(softmax_cross_entropy(net(golden::images(), nn::training), golden::labels()));
    auto const gradients = nn::gradients_of(tape, loss, net);
    all.add(loss);
    std::apply([&](auto const&... g) { (all.add(g), ...); }, gradients);
    adam.apply(net, gradients);
  }
  nn::for_each_variable(net, [&](auto const&, auto const& v) { all.add(v.value()); });
  return all.value();
}

/// What this program prints for a hidden case, with this number of simulated GPUs and threads.
std::string output_of(std::string const& hidden, int gpus, int threads) {
  std::array<char, 4096> path{};
  REQUIRE(::readlink("/proc/self/exe", path.data(), path.size() - 1) > 0);
  std::string const command = "PLACEMENT_SIMULATED_GPUS=" + std::to_string(gpus) +
                              " PLACEMENT_INTRA_OP_THREADS=" + std::to_string(threads) + " '" +
                              path.data() + "' '" + hidden + "' 2>/dev/null";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string printed;
  std::array<char, 256> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr)
    if (std::string const text = line.data(); text.starts_with("bits ")) printed += text;
  REQUIRE(::pclose(pipe) == 0);
  return printed;
}
void require_same_bits(std::string const& hidden) {
  std::string const expected = output_of(hidden, 0, 1);
  REQUIRE(expected.starts_with("bits "));
  for (int const gpus : {0, 1, 2})
    for (int const threads : {1, 3, 16}) {
      INFO(gpus << " GPUs, " << threads << " threads");
      CHECK(output_of(hidden, gpus, threads) == expected);
    }
}
/// Prints the bits of a net on the last device of the program.
template <class Net> void print_bits(Net const& net) {
  std::size_t const gpus = list_logical_devices("GPU").size();
  with_device const scope(gpus == 0 ? cpu0 : device{kind::gpu, static_cast<int>(gpus) - 1});
  std::printf("bits %016llx\n", static_cast<unsigned long long>(bits_of_training(net)));
}

}  // namespace

TEST_CASE("bits of net A", "[.net_a]") { print_bits(golden::net_a()); }
TEST_CASE("bits of net B", "[.net_b]") { print_bits(golden::net_b()); }

TEST_CASE("Steps of net A have the same bits on each device and with any threads") {
  require_same_bits("[.net_a]");
}
TEST_CASE("Steps of net B have the same bits on each device and with any threads") {
  require_same_bits("[.net_b]");
}
