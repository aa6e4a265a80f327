// Assignments to views against loops over elements: the right side reads the same elements, others
// of the same tensor, or none of it. And what they cost.
#include <support/heap_count.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

/// Positions of a view: of a matrix of shape `rows` x `columns`, with steps of either sign.
struct part {
  range rows, columns;
};
/// Draws parts of one shape.
class drawer {
 public:
  explicit drawer(unsigned seed) : engine_(seed) {}

  index_t below(index_t n) { return static_cast<index_t>(engine_() % static_cast<unsigned>(n)); }
  /// n positions of a dimension of extent `all`.
  range line(index_t n, index_t all) {
    index_t const most = n == 1 ? 3 : (all - 1) / (n - 1);
    index_t const step = 1 + below(most < 3 ? most : 3), span = (n - 1) * step;
    index_t const first = below(all - span);
    if (below(3) != 0) return {first, first + span + 1, step};
    return {first + span, first == 0 ? range::open : first - 1, -step};
  }
  part of(index_t m, index_t n, index_t rows, index_t columns) {
    return {line(m, rows), line(n, columns)};
  }

 private:
  std::minstd_rand engine_;
};

enum class order { as_it_is, transposed, reversed };
/// The part of x, in an order. Transposed: a part of the transpose.
template <order O, class X> auto view_of(X const& x, part const& p) {
  if constexpr (O == order::transposed) return slice(transpose(x), p.columns, p.rows);
  else if constexpr (O == order::reversed) return reverse(slice(x, p.rows, p.columns), axis<1>);
  else return slice(x, p.rows, p.columns);
}

template <class T> using matrix_of = tensor<T, dextents<2>>;
template <class E> auto elements_of(E const& e) {
  tensor const t = copy_to("/cpu:0", e);
  return std::vector(t.data(), t.data() + t.size());
}

/// A matrix, views of it, and the same elements for loops.
template <class T, order To, order From> struct trial {
  index_t n_rows, n_columns;  ///< of the matrix
  index_t m, n;               ///< of the views
  part to, from;
  matrix_of<T> x;
  std::vector<T> expected;
  std::vector<index_t> to_at, from_at;

  trial(drawer& d, index_t all_rows, index_t all_columns, index_t view_rows, index_t view_columns)
      : n_rows(all_rows),
        n_columns(all_columns),
        m(view_rows),
        n(view_columns),
        to(d.of(m, n, n_rows, n_columns)),
        from(d.of(m, n, n_rows, n_columns)),
        x(cast<T>(reshape(iota(n_rows * n_columns, index_t{1}) % 97, shape(n_rows, n_columns)))),
        expected(elements_of(x)) {
    tensor const number = reshape(iota(n_rows * n_columns, index_t{0}), shape(n_rows, n_columns));
    to_at = elements_of(view_of<To>(number, to));
    from_at = elements_of(view_of<From>(number, from));
  }
  auto target() { return view_of<To>(view(x), to); }

  /// expected[to] = f(i) for the i-th element, computed from old values.
  template <class F> void loop(F const& f) {
    std::vector<T> const old = expected;
    for (std::size_t i = 0; i != to_at.size(); ++i)
      expected[static_cast<std::size_t>(to_at[i])] =
          f(i, old[static_cast<std::size_t>(to_at[i])], old[static_cast<std::size_t>(from_at[i])]);
  }
  void check(char const* what) const {
    INFO(what << ", view " << m << " x " << n << " of " << n_rows << " x " << n_columns
              << ", written: rows " << to.rows.first << ":" << to.rows.last << ":" << to.rows.step
              << " columns " << to.columns.first << ":" << to.columns.last << ":" << to.columns.step
              << ", read: rows " << from.rows.first << ":" << from.rows.last << ":"
              << from.rows.step << " columns " << from.columns.first << ":" << from.columns.last
              << ":" << from.columns.step);
    auto const got = elements_of(x);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != got.size(); ++i) wrong += got[i] == expected[i] ? 0u : 1u;
    CHECK(wrong == 0);
  }
};

template <class T> T plus(T a, T b) { return static_cast<T>(a + b); }

/// Assignments of one kind each, which read the elements `from` of the same tensor.
template <class T, order To, order From>
void check_one(drawer& d, index_t rows, index_t columns, index_t m, index_t n) {
  constexpr bool transposes = To == order::transposed;
  static_assert(transposes == (From == order::transposed), "views of one shape");
  trial<T, To, From> t(d, rows, columns, m, n);
  auto const own = shape(transposes ? n : m, transposes ? m : n);
  index_t const count = m * n;
  tensor const y = cast<T>(reshape(iota(count, index_t{5}) % 89, own));
  auto const ys = elements_of(y);

  t.target() += y;
  t.loop([&](std::size_t i, T a, T) { return plus(a, ys[i]); });
  t.check("view += y");
  t.target() = y;
  t.loop([&](std::size_t i, T, T) { return ys[i]; });
  t.check("view = y");
  t.target() = y + y;
  t.loop([&](std::size_t i, T, T) { return plus(ys[i], ys[i]); });
  t.check("view = y + y");
  t.target() = view_of<From>(t.x, t.from) + y;
  t.loop([&](std::size_t i, T, T b) { return plus(b, ys[i]); });
  t.check("view = other + y");
  t.target() = view_of<From>(view(t.x), t.from);
  t.loop([&](std::size_t, T, T b) { return b; });
  t.check("view = other");
  t.target() += view_of<From>(view(t.x), t.from);
  t.loop([&](std::size_t, T a, T b) { return plus(a, b); });
  t.check("view += other");
  t.target() = (view_of<To>(view(t.x), t.to) + y) + (y + view_of<From>(t.x, t.from));
  t.loop([&](std::size_t i, T a, T b) { return plus(plus(a, ys[i]), plus(ys[i], b)); });
  t.check("view = view + y + other");
  T const first = t.expected[0];
  t.target() = y + t.x(0, 0);
  t.loop([&](std::size_t i, T, T) { return plus(ys[i], first); });
  t.check("view = y + element");
  std::size_t const last = t.expected.size() - 1;
  T const end = t.expected[last];
  t.target() += view(t.x)(-1, -1);
  t.loop([&](std::size_t, T a, T) { return plus(a, end); });
  t.check("view += element");
  t.target() = reverse(y, axis<0>) + cast<T>(reshape(iota(count, index_t{0}) % 50, own));
  auto const backwards = elements_of(reverse(y, axis<0>));
  t.loop([&](std::size_t i, T, T) {
    return plus(backwards[i], static_cast<T>(static_cast<int>(i % 50)));
  });
  t.check("view = reversed + numbers");
  t.target() = y + reshape(reverse(reshape(y, shape(count)), axis<0>), own);
  t.loop([&](std::size_t i, T, T) { return plus(ys[i], ys[ys.size() - 1 - i]); });
  t.check("view = y + reshape of a view");
  t.target() = slice(y, range{0, 1}, everything) + y;
  auto const columns_of_y = static_cast<std::size_t>(own.at(1));
  t.loop([&](std::size_t i, T, T) { return plus(ys[i % columns_of_y], ys[i]); });
  t.check("view = row + y");
  t.target() = slice(y, everything, range{0, 1});
  t.loop([&](std::size_t i, T, T) { return ys[i / columns_of_y * columns_of_y]; });
  t.check("view = column");
  t.target() = T(3);
  t.loop([&](std::size_t, T, T) { return T(3); });
  t.check("view = number");
  auto const kept = t.x;  // other owners of the elements
  auto const before = elements_of(kept);
  t.target() += y;
  t.loop([&](std::size_t i, T a, T) { return plus(a, ys[i]); });
  t.check("view += y of shared elements");
  CHECK(elements_of(kept) == before);
}

/// Nightly runs have all orders of each type, others those of float and one of each other size.
#ifdef PLACEMENT_EVERY_COMBINATION
template <class T> constexpr bool in_all_orders = true;
#else
template <class T> constexpr bool in_all_orders = std::is_same_v<T, float>;
#endif

template <class T> void check_parts(unsigned seed, int trials) {
  drawer d(seed);
  for (int i = 0; i != trials; ++i) {
    index_t const m = 1 + d.below(i % 3 == 0 ? 3 : 20), n = 1 + d.below(i % 4 == 0 ? 3 : 40);
    index_t const rows = m + d.below(3 * m), columns = n + d.below(3 * n);
    check_one<T, order::reversed, order::as_it_is>(d, rows, columns, m, n);
    if constexpr (in_all_orders<T>) {
      check_one<T, order::as_it_is, order::as_it_is>(d, rows, columns, m, n);
      check_one<T, order::as_it_is, order::reversed>(d, rows, columns, m, n);
      check_one<T, order::transposed, order::transposed>(d, rows, columns, m, n);
    }
  }
}

}  // namespace

TEST_CASE("an assignment to a view gives what loops give, whatever the right side reads") {
  for (char const* const where : {"/cpu:0", "/gpu:0", "/gpu:1"}) {
    with_device const scope(where);
    INFO(where);
    check_parts<float>(1, 12);
    drawer large(7);
    check_one<float, order::as_it_is, order::reversed>(large, 150, 1500, 70, 600);
    check_one<float, order::transposed, order::transposed>(large, 900, 200, 300, 90);
    check_one<index_t, order::reversed, order::as_it_is>(large, 40, 9000, 17, 4100);
    check_parts<index_t>(2, 4);
#ifdef PLACEMENT_EVERY_COMBINATION  // types of the sizes of the others
    check_one<double, order::reversed, order::as_it_is>(large, 40, 9000, 17, 4100);
    check_parts<std::int32_t>(3, 3);
    check_parts<double>(4, 3);
#endif
    check_parts<signed char>(5, 3);
    check_parts<std::complex<double>>(6, 3);
  }
}

TEST_CASE("elements of other positions of the same tensor need no temporary on a CPU") {
  with_device const scope(cpu0);
  tensor x = iota(shape(40, 60), 0.f);
  tensor const y = iota(30, 0.f);
  auto const column = [&](index_t j) { return slice(view(x), everything, range{j, j + 1}); };
  CHECK(heap_allocations([&] {
          slice(view(x), range{0, 20}) = slice(view(x), range{20, 40}) * 2.f;
          slice(view(x), range{20, 40}) = slice(x, range{0, 20}) * 2.f;
          column(2) = column(1) + column(3);
          slice(view(x), everything, range{0, 60, 2}) += slice(x, everything, range{1, 60, 2});
          slice(view(x), everything, range{0, 60, 2}) *= y + 1.f;
          view(x)[3] = x[4] + x[5];
          view(x)[3] += 1.f;
          view(x) = view(x) * 2.f;
          transpose(view(x)) *= 0.5f;
        }) == 0);
  CHECK(heap_allocations([&] { column(2) = column(1) + slice(x, everything, range{2, 3}); }) == 0);
}

TEST_CASE("elements that are read after they are written need a temporary") {
  with_device const scope(cpu0);
  tensor x = iota(1000, 0.f);
  auto const allocated = [](auto const& f) { return heap_allocations(f); };
  CHECK(allocated([&] { slice(view(x), range{1, 1000}) = slice(x, range{0, 999}) * 1.f; }) == 1);
  CHECK(allocated([&] { view(x) = reverse(x, axis<0>) + 1.f; }) == 1);
  CHECK(allocated([&] { slice(view(x), range{0, 9}) = slice(x, range{1, 10}) + x(2); }) == 1);
  tensor const other = x;
  CHECK(allocated([&] { slice(view(x), range{0, 9}) += 1.f; }) == 2);  // and a copy of x
  CHECK(other(0) != x(0));
}

TEST_CASE("a view of rows on a GPU is written directly, and one with gaps by a temporary") {
  if (!is_available()) return;
  with_device const scope(gpu0);
  tensor x = iota(shape(40, 60), 0.f);
  tensor const y = iota(shape(10, 60), 1.f);
  synchronize();
  auto const allocations = [&](auto const& f) {
    auto const before = memory_stats_of(gpu0).total_allocations;
    f();
    synchronize();
    return memory_stats_of(gpu0).total_allocations - before;
  };
  CHECK(allocations([&] { slice(view(x), range{5, 15}) += y * 2.f; }) == 0);
  CHECK(x.read()(14, 59) == 899.f + 1200.f);
  CHECK(allocations([&] { view(x)[2] = y[3] - x[3]; }) == 0);
  CHECK(x.read()(2, 1) == 1.f);
  CHECK(allocations([&] { slice(view(x), range{0, 20, 2}) += y; }) == 1);
  CHECK(x.read()(18, 0) == 1080.f + 541.f);
}

TEST_CASE("an expression that throws leaves the view as it was") {
  tensor x{1.f, 2.f, 3.f, 4.f};
  auto const odd = [&] { return slice(view(x), range{0, 4, 2}); };
  CHECK_THROWS_AS(odd() = at_most_two(slice(x, range{1, 4, 2})), std::runtime_error);
  CHECK_THROWS_AS(odd() += at_most_two(odd()) * 2.f, std::runtime_error);
  CHECK_THROWS_AS(slice(view(x), range{0, 3}) = at_most_two(slice(x, range{0, 3})) + 1.f,
                  std::runtime_error);
  CHECK(to_string(x) == "[1 2 3 4]");
}

TEST_CASE("the parts of an expression that are kernels of their own are computed before") {
  tensor x = iota(shape(4, 6), 0.f);
  auto const left = [&] { return slice(view(x), everything, range{0, 3}); };
  left() += sum(x, keep_dim(1)) + left();
  CHECK(
      to_string(x) ==
      "[[15 17 19 3 4 5]\n [63 65 67 9 10 11]\n [111 113 115 15 16 17]\n [159 161 163 21 22 23]]");
  left() = matmul(x, transpose(slice(x, range{0, 3}))) * 0.f + left();
  left() -= on("/cpu:0", max(x));
  CHECK(x.read()(3, 2) == 0.f);
  view(x)(1, 1) = sqrt(sum(x[2] * 0.f + 4.f));
  CHECK(x.read()(1, 1) == std::sqrt(24.f));
  view(x)(1, 2) = sqrt(sum(x * x));
  tensor const whole = x;
  left() = slice(on("/cpu:0", whole), range{0, 1}, range{0, 1}) +
           on("/cpu:0", slice(x, everything, range{1, 4}));
  for (index_t i = 0; i != 4; ++i)
    for (index_t j = 0; j != 3; ++j)
      CHECK(x.read()(i, j) == whole.read()(0, 0) + whole.read()(i, j + 1));
}

TEST_CASE("views of borrowed memory are written directly where no other elements are read") {
  std::vector<float> memory{0, 1, 2, 3, 4, 5, 6, 7};
  tensor all = borrow(memory.data(), shape(8));
  tensor const front = borrow(memory.data(), shape(6));
  slice(view(all), range{2, 8}) = front * 1.f;
  CHECK(memory == std::vector<float>{0, 1, 0, 1, 2, 3, 4, 5});
  slice(view(all), range{0, 6}) += front;
  CHECK(memory == std::vector<float>{0, 2, 0, 2, 4, 6, 4, 5});
  slice(view(all), range{1, 7, 2}) = slice(front, range{0, 6, 2}) + 1.f;
  CHECK(memory == std::vector<float>{0, 1, 0, 1, 4, 5, 4, 5});
  with_device const scope(cpu0);
  CHECK(heap_allocations([&] { slice(view(all), range{0, 6}) += front; }) == 0);
}

TEST_CASE("a value of another device is copied to the view") {
  tensor x = copy_to("/cpu:0", iota(shape(4, 6), 0.f));
  with_device const scope("/gpu:1");
  slice(view(x), everything, range{0, 6, 2}) += 100.f;
  CHECK(x.where() == cpu0);
  CHECK(
      to_string(x) ==
      "[[100 1 102 3 104 5]\n [106 7 108 9 110 11]\n [112 13 114 15 116 17]\n [118 19 120 21 122 23]]");
}

TEST_CASE("the log has the ops of an assignment to a view, as of one to a tensor") {
  log_lines lines;
  with_device const scope(cpu0, log_placement{true});
  tensor x = copy_to("/cpu:0", iota(shape(4, 6), 0.f));
  tensor const y = copy_to("/cpu:0", iota(shape(4, 3), 0.f));
  tensor z = y;
  lines.take_all();
  z = exp(y) * 2.f;
  auto const expected = lines.take_all();
  CHECK(expected.size() == 2);
  auto const ops = [](lines_of const& all) {
    std::vector<std::string> names;
    for (std::string const& line : all) names.push_back(line.substr(0, line.find(" at ")));
    return names;
  };
  slice(view(x), everything, range{0, 6, 2}) = exp(y) * 2.f;
  CHECK(ops(lines.take_all()) == ops(expected));
}
