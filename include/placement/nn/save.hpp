#pragma once
/// Models in NumPy's archives. Not part of nn.hpp.
///
///     nn::save("model.npz", net);        // numpy.load("model.npz")["dense/kernel"] reads it
///     nn::load("model.npz", net);

#include <placement/interop/npz.hpp>
#include <placement/nn/parameters.hpp>
#include <placement/place/scope.hpp>
#include <placement/runtime/escape.hpp>

#include <string>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

/// Writes the variables of a model by their names: see for_each_parameter. Also those that are not
/// trained. Replaces the file when all are written. Throws: as npz_writer; then the file is
/// unchanged.
template <class M, class K = kernels_here> void save(std::string const& path, M const& model) {
  npz_writer out(path);
  for_each_variable(model,
                    [&](std::string const& name, auto const& v) { out.add(name, v.value()); });
  out.close();
}
/// Reads the variables of a model, each to its own device. Other arrays of the file are not read.
/// Throws: as npz_file, for a name that is not there and for other element types, ranks and
/// extents; then the model is unchanged.
template <class M, class K = kernels_here> void load(std::string const& path, M& model) {
  npz_file const in(path);
  M read = model;
  for_each_variable(read, [&]<class T, class X>(std::string const& name, variable<T, X>& v) {
    with_device const beside(v.where());
    tensor<T, X> const t = in.load<T, X, K>(name);
    if (!(t.shape() == v.shape()))
      throw shape_error("placement: variable " + placement::detail::quote(name) + " has shape " +
                        to_string(v.shape()) + ", but the file has " + to_string(t.shape()) +
                        ". Read the file of a model of the same layers.");
    v.assign(t);
  });
  model = std::move(read);
}

}}}  // namespace placement::v0_1::nn
