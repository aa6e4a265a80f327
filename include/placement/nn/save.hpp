#pragma once
/// Models in NumPy's archives. Not part of nn.hpp.
///
///     nn::save("model.npz", net);        // numpy.load("model.npz")["dense/kernel"] reads it
///     nn::load("model.npz", net);

#include <placement/interop/npz.hpp>
#include <placement/nn/array_archive.hpp>
#include <placement/nn/parameters.hpp>
#include <placement/place/scope.hpp>
#include <placement/runtime/escape.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

namespace detail {
inline void save_arrays(std::string const& path, std::vector<any_array> const& all) {
  array_writer out(path);
  for (any_array const& a : all) out.add(a);
  out.close();
}
inline void load_arrays(std::string const& path, std::vector<any_array> const& all) {
  array_reader in(path);
  for (any_array const& a : all) in.add(a);
  in.check();
  in.commit();
}
/// A variable of a model, for errors: its name, and "float [2, 3]".
struct named_variable {
  std::string name, form;
};
/// Throws invalid_argument if two have one name.
inline void check_names(std::vector<named_variable> const& all) {
  for (std::size_t i = 0; i != all.size(); ++i)
    for (std::size_t k = 0; k != i; ++k)
      if (all[i].name == all[k].name)
        throw invalid_argument("placement: variables " + std::to_string(k + 1) + " and " +
                               std::to_string(i + 1) + " of the model have one name, " +
                               core::quote(all[i].name) + ": " + all[k].form + " and " +
                               all[i].form +
                               ". Give each variable its own name, or each part a layer_name.");
}
template <class M> void check_names_of(M const& model) {
  std::vector<named_variable> all;
  for_each_variable(model, [&]<class T, class X>(std::string const& name, variable<T, X> const& v) {
    all.push_back({name, std::string(element_name<T>()) + " " + to_string(v.shape())});
  });
  check_names(all);
}
template <class M> void save_parts(std::string const& path, M const& model) {
  check_names_of(model);
  npz_writer out(path);
  for_each_variable(model,
                    [&](std::string const& name, auto const& v) { out.add(name, v.value()); });
  out.close();
}
/// Throws unless the file has the variable with this element type and shape.
inline void check_variable(npz_file const& in, std::string const& name, std::string_view element,
                           core::any_shape const& shape) {
  npy_info const found = in.info(name);
  std::string const variable = "placement: variable " + core::quote(name);
  core::any_shape const there(found.shape.size(), found.shape.data());
  if (core::text_of(there) != core::text_of(shape))
    throw shape_error(variable + " has shape " + core::text_of(shape) + ", but the file has " +
                      core::text_of(there) + ". Read the file of a model of the same layers.");
  if (found.element != element)
    throw invalid_argument(variable + " has elements of " + std::string(element) +
                           ", but the file has " + to_string(found) +
                           ". Read it into a model of that type: nn::sequential<double>(...).");
}
template <class K, class M> void load_parts(std::string const& path, M& model) {
  check_names_of(model);
  npz_file const in(path);
  struct read_elements {
    core::buffer_ref* to;
    core::buffer_ref from;
  };
  std::vector<read_elements> all;  // assigned when all are read
  for_each_variable(model, [&]<class T, class X>(std::string const& name, variable<T, X>& v) {
    with_device const beside(v.where());
    X const shape = v.shape();
    check_variable(in, name, element_name<T>(), shape);
    tensor<T, X> t = in.load<T, X, K>(name);
    all.push_back({&variable_access::elements(v), std::move(core::tensor_access::elements(t))});
  });
  for (read_elements& one : all) *one.to = std::move(one.from);
}
}  // namespace detail

/// Writes the variables of a model by their names: see for_each_parameter. Also those that are not
/// trained, and those of a variable_store. Replaces the file when all are written.
/// Throws: invalid_argument where two variables have one name; as npz_writer. Then the file is
/// unchanged.
template <class M, class K = kernels_here> void save(std::string const& path, M const& model) {
  if constexpr (detail::lists_arrays<M const>) return detail::save_arrays(path, model.arrays());
  else detail::save_parts(path, model);
}
/// Reads the variables of a model, each to its own device. Other arrays of the file are not read.
/// Throws: invalid_argument where two variables have one name; as npz_file, for a name that is not
/// there and for other element types, ranks and extents. Then the model is unchanged. A
/// variable_store has the variables that it has now.
template <class M, class K = kernels_here> void load(std::string const& path, M& model) {
  if constexpr (detail::lists_arrays<M>) return detail::load_arrays(path, model.arrays());
  else detail::load_parts<K>(path, model);
}

}}}  // namespace placement::v0_1::nn
