// Computes reductions and index ops of the arrays that arrays_indices.py wrote, for NumPy to check.
//
//   arrays_indices FOLDER DEVICE    for each line of arrays.txt: a name, a type and a rank
#include <placement/interop/npy.hpp>
#include <placement/ops/assign_where.hpp>
#include <placement/ops/compress.hpp>
#include <placement/ops/cumulative.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/full.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/ops/logsumexp.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/nan_variance.hpp>
#include <placement/ops/nonzero.hpp>
#include <placement/ops/norm.hpp>
#include <placement/ops/quantile.hpp>
#include <placement/ops/repeat_each.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/scatter.hpp>
#include <placement/ops/searchsorted.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/topk.hpp>
#include <placement/ops/unique.hpp>
#include <placement/ops/unique_all.hpp>
#include <placement/placement.hpp>

#include <fstream>
#include <iostream>
#include <string>
#include <type_traits>

namespace {

using namespace placement;

/// Writes the value of f(), or an empty file with the name's ending .error if it throws.
template <class F> void write(std::string const& name, F const& f) {
  try {
    save_npy(name + ".npy", tensor(f()));
  } catch (error const&) { std::ofstream(name + ".error"); }
}

/// Calls f for no axis, each axis, each pair and all three, with the ending of the names.
template <std::size_t R, class F> void each_axes(F const& f) {
  f(".all");
  int const rank = static_cast<int>(R);
  for (int a = 0; a != rank; ++a) {
    f("." + std::to_string(a), a);
    for (int b = 0; b != rank; ++b)
      if constexpr (R > 1)
        if (a != b) f("." + std::to_string(a) + std::to_string(b), a, b - rank);
  }
  if constexpr (R > 2) f(".012", 2, 0, 1);
}

/// All dimensions in opposite order.
template <class T> auto transposed(tensor<T, dextents<1>> const& x) { return x + T{}; }
template <class T> auto transposed(tensor<T, dextents<2>> const& x) { return transpose(x); }
template <class T> auto transposed(tensor<T, dextents<3>> const& x) { return permute(x, 2, 1, 0); }

template <class X, class... A> auto sum_kept(X const& x, A... a) {
  if constexpr (sizeof...(A) == 0) return tensor(sum(x));
  else return tensor(sum(x, keep_dim(a...)));
}

template <class T, std::size_t R>
void reduce_array(tensor<T, dextents<R>> const& x, std::string const& name) {
  each_axes<R>([&](std::string const& axes, auto... a) {
    write(name + ".sum" + axes, [&] { return sum(x, a...); });
    write(name + ".max" + axes, [&] { return max(x, a...); });
    write(name + ".nanmin" + axes, [&] { return nanmin(x, a...); });
    write(name + ".median" + axes, [&] { return median(x, a...); });
    write(name + ".count_nonzero" + axes, [&] { return count_nonzero(x, a...); });
    write(name + ".min" + axes, [&] { return min(x, a...); });
    write(name + ".mean" + axes, [&] { return mean(x, a...); });
    write(name + ".all" + axes, [&] { return all(x != T{}, a...); });
    write(name + ".any" + axes, [&] { return any(x > T{2}, a...); });
    write(name + ".kept" + axes, [&] { return sum_kept(x, a...); });
    if constexpr (std::is_same_v<T, double>) {
      write(name + ".std" + axes, [&] { return std_dev(x, a...); });
      write(name + ".var" + axes, [&] { return variance(x, a...); });
      write(name + ".prod" + axes, [&] { return prod(x, a...); });
      write(name + ".nanprod" + axes, [&] { return nanprod(x, a...); });
      write(name + ".norm_inf" + axes, [&] { return norm<norm_inf>(x, a...); });
      write(name + ".nansum" + axes, [&] { return nansum(x, a...); });
      write(name + ".nanmean" + axes, [&] { return nanmean(x, a...); });
      write(name + ".nanmax" + axes, [&] { return nanmax(x, a...); });
      write(name + ".nanvar" + axes, [&] { return nanvar(x, a...); });
      write(name + ".nanstd" + axes, [&] { return nanstd(x, a...); });
      write(name + ".norm1" + axes, [&] { return norm<1>(x, a...); });
      write(name + ".norm2" + axes, [&] { return norm(x, a...); });
      write(name + ".logsumexp" + axes, [&] { return logsumexp(x, a...); });
      if constexpr (sizeof...(a) == 0) write(name + ".quantile", [&] { return quantile(x, 0.3); });
      else write(name + ".quantile" + axes, [&] { return quantile(x, 0.3, a...); });
    }
  });
}

template <class T, std::size_t R>
void index_all(tensor<T, dextents<R>> const& x, std::string const& name,
               tensor<long, dextents<1>> const& indices) {
  write(name + ".argmax", [&] { return argmax(x); });
  write(name + ".argmin", [&] { return argmin(x); });
  write(name + ".gather", [&] { return gather(x, where(indices < 0, 0, indices)); });
  write(name + ".take", [&] { return take(x, indices); });
  write(name + ".one_hot", [&] { return one_hot<float>(cast<int>(x), 3); });
  write(name + ".masked", [&] {
    tensor y = x;
    assign_where(y, y < T{}, T{7});
    return y;
  });
  write(name + ".full", [&] { return full_like(x, T{3}) + zeros_like(x) + ones_like(x); });
  write(name + ".permute", [&] { return transposed(x); });
  write(name + ".nonzero", [&] { return nonzero(x)[R - 1]; });
  write(name + ".flatten", [&] { return flatten(x); });
  write(name + ".reverse", [&] { return reverse(x, axis<-1>); });
  write(name + ".put", [&] {
    tensor y = x;
    put(y, indices, cast<T>(indices));
    return y;
  });
}

template <class T, std::size_t R>
void index_array(tensor<T, dextents<R>> const& x, std::string const& name,
                 tensor<long, dextents<1>> const& indices) {
  for (int a = 0; a != static_cast<int>(R); ++a) {
    std::string const axis = "." + std::to_string(a);
    write(name + ".argmax" + axis, [&] { return argmax(x, a); });
    write(name + ".argmin" + axis, [&] { return argmin(x, a); });
    write(name + ".cumsum" + axis, [&] { return cumsum(x, a); });
    write(name + ".sort" + axis, [&] { return sort(x, a); });
    write(name + ".descending" + axis, [&] { return sort(x, a, descending); });
    write(name + ".argsort" + axis, [&] { return argsort(x, a); });
    write(name + ".top" + axis, [&] { return take_along_axis(x, argtopk(x, 2, a), a); });
    write(name + ".concat" + axis, [&] { return concat(a, x, x + T{1}); });
    write(name + ".stack" + axis, [&] { return stack(a, x, x + T{1}); });
    write(name + ".expand" + axis, [&] { return expand_dims(x, a); });
    write(name + ".compress" + axis, [&] {
      return compress(iota(x.shape().at(static_cast<std::size_t>(a)), 0) % 3 != 1, x, a);
    });
    write(name + ".cumprod" + axis, [&] { return cumprod(x, a); });
    write(name + ".cummax" + axis, [&] { return cummax(x, a); });
    write(name + ".cummin" + axis, [&] { return cummin(x, a); });
    write(name + ".diff" + axis, [&] { return diff(x, a); });
    write(name + ".take" + axis, [&] { return take(x, indices, a); });
    write(name + ".sorted" + axis, [&] { return take_along_axis(x, argsort(x, a), a); });
    write(name + ".topk" + axis, [&] { return topk(x, 2, a); });
    write(name + ".repeat" + axis, [&] {
      return repeat_each(x, iota(x.shape().at(static_cast<std::size_t>(a)), 0) % 3, a);
    });
    write(name + ".index_add" + axis,
          [&] { return index_add(x, indices, take(x, indices, a), a); });
    write(name + ".scatter" + axis,
          [&] { return scatter(x, indices, take(x, indices, a) + T{1}, a); });
  }
  index_all<T, R>(x, name, indices);
  write(name + ".unique", [&] { return unique(x); });
  write(name + ".counts", [&] { return unique_counts(x).counts; });
  auto const all = unique_all(x);
  write(name + ".values", [&] { return all.values; });
  write(name + ".first", [&] { return all.indices; });
  write(name + ".inverse", [&] { return all.inverse; });
  write(name + ".times", [&] { return all.counts; });
  if constexpr (R > 1) write(name + ".roll", [&] { return roll(x, {1, -2}, {0, -1}); });
  write(name + ".flatnonzero", [&] { return flatnonzero(x); });
  write(name + ".extract", [&] { return extract(x > T{}, x); });
  write(name + ".histogram", [&] { return histogram(x, 7).counts; });
  write(name + ".histogram_in", [&] { return histogram(x, 5, -1., 2.5).counts; });
  write(name + ".edges", [&] { return histogram(x, 7).edges; });
  tensor const sorted = sort(flatten(x));
  write(name + ".left", [&] { return searchsorted(sorted, x); });
  write(name + ".right", [&] { return searchsorted(sorted, x - T{1}, side::right); });
  if constexpr (std::is_integral_v<T>) write(name + ".bincount", [&] { return bincount(x, 3); });
}

/// In nightly runs each type has all ranks; a rank takes about 7 seconds to compile.
#ifdef PLACEMENT_EVERY_COMBINATION
template <class T, std::size_t R> constexpr bool is_computed = true;
#else
template <class T, std::size_t R>
constexpr bool is_computed = std::is_same_v<T, double> ? R > 1 : R == 1;
#endif

template <class T, std::size_t R>
void compute([[maybe_unused]] std::string const& name,
             [[maybe_unused]] tensor<long, dextents<1>> const& indices) {
  if constexpr (is_computed<T, R>) {
    tensor const x = load_npy<T, R>(name + ".npy");
    reduce_array<T, R>(x, name);
    index_array<T, R>(x, name, indices);
  }
}
template <class T>
void compute(std::string const& name, int rank, tensor<long, dextents<1>> const& indices) {
  if (rank == 1) compute<T, 1>(name, indices);
  else if (rank == 2) compute<T, 2>(name, indices);
  else compute<T, 3>(name, indices);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  with_device const scope(arguments[2]);
  std::string const folder = std::string(arguments[1]) + "/";
  tensor const indices = load_npy<long, 1>(folder + "indices.npy");
  std::ifstream list(folder + "arrays.txt");
  int arrays = 0, rank = 0;
  for (std::string name, type; list >> name >> type >> rank; ++arrays) {
    if (type == "double") compute<double>(folder + name, rank, indices);
    else compute<int>(folder + name, rank, indices);
  }
  std::cout << arrays << " arrays of NumPy computed" << std::endl;
  return 0;
} catch (error const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
