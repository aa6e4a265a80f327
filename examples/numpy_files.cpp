/// Exchanges arrays with NumPy: a data set that is mapped, and a model in an archive.
///
///     numpy.load("data.npy"), numpy.load("model.npz")["weights"]

#include <placement/interop/npz.hpp>
#include <placement/placement.hpp>

#include <filesystem>
#include <iostream>
#include <string>

#include <unistd.h>

namespace pl = placement;

int main() {
  std::filesystem::path const folder =
      std::filesystem::temp_directory_path() / ("numpy_files." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);

  // Written as numpy.save and numpy.savez write them.
  pl::save_npy(folder / "data.npy", pl::iota(pl::shape(100, 3), 0.f), pl::npy_order::fortran);
  {
    pl::npz_writer model(folder / "model.npz");
    model.add("weights", pl::tensor{{1.f, 0.f}, {0.f, 1.f}, {1.f, 1.f}});
    model.add("bias", pl::tensor{0.5f, -0.5f});
    model.close();
  }

  pl::npz_file const model(folder / "model.npz");
  std::cout << "data: " << to_string(pl::read_npy_info(folder / "data.npy")) << std::endl;
  for (std::string const& name : model.names())
    std::cout << name << ": " << to_string(model.info(name)) << std::endl;

  // Only the pages of this batch are read. It is sliced on the CPU and computed on the GPU.
  auto const data = pl::map_npy<float const, 2>(folder / "data.npy");
  pl::tensor const batch = pl::on(pl::cpu0, pl::slice(data, pl::range{98, 100}));
  auto const weights = model.load<float, 2>("weights");
  auto const bias = model.load<float, 1>("bias");
  pl::tensor const y = pl::matmul(batch, weights) + bias;
  std::cout << "the weights are on " << pl::to_string(weights.where()) << ", y is\n"
            << y << std::endl;

  // The type and the rank are checked against the file.
  try {
    model.load<double, 1>("weights");
  } catch (pl::invalid_argument const& e) {
    std::string const message = e.what();
    std::cout << "not" << message.substr(message.find(" double")) << std::endl;
  }
  std::filesystem::remove_all(folder);
}
