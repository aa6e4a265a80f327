// usage: bench_gpu_towers COUNT
// One forward pass of a perceptron over a batch of 16384, in COUNT parts on as many virtual devices
// of one GPU.
#include "measure.hpp"

using namespace placement::literals;

namespace {

using namespace bench;

constexpr pl::index_t batch = 16384, width = 1024;

struct tower {
  matrix<float> x, w1, w2;
  vector<float> b;
};

template <class K = pl::kernels_here> int run(int towers) {
  if (int const none = start(0, nullptr); none != 0) return none;
  std::vector<tower> all;
  for (int t = 0; t != towers; ++t) {
    pl::with_device const scope(pl::device{pl::kind::gpu, t});
    all.push_back({pl::uniform<float>(pl::shape(batch / towers, width)),
                   pl::uniform<float>(pl::shape(width, width)),
                   pl::uniform<float>(pl::shape(width, width)), pl::zeros<float>(width)});
  }
  auto const step = [&](int) {
    for (int t = 0; t != towers; ++t) {
      tower const& own = all[static_cast<std::size_t>(t)];
      pl::with_device const scope(pl::device{pl::kind::gpu, t});
      matrix<float> const hidden = pl::relu(pl::matmul(own.x, own.w1) + own.b);
      matrix<float> const out = pl::softmax(pl::matmul(hidden, own.w2));
    }
    pl::synchronize();
  };
  compare_on_host(
      "towers, batch 16384 in all", 4, until::done,
      {{std::to_string(towers) + (towers == 1 ? " device" : " virtual devices"), step}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int const towers = argc > 1 ? std::atoi(argv[1]) : 1;
  try {
    if (towers == 2) {
      pl::runtime const rt{pl::memory::virtual_devices<4_GiB, 4_GiB>{}};
      return run(towers);
    }
    if (towers == 4) {
      pl::runtime const rt{pl::memory::virtual_devices<2_GiB, 2_GiB, 2_GiB, 2_GiB>{}};
      return run(towers);
    }
    return run(1);
  } catch (pl::error const& none) {
    std::printf("skipped: %s\n", none.what());
    return 4;
  }
}
