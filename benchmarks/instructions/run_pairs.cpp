/// Runs each function of pairs.hpp once, for a tool that counts instructions.
#include "pairs.hpp"

#include <memory>

using namespace pairs;

namespace {

void run_large() {
  pl::extents<many> const shape;
  large const a = pl::iota(shape, 0.f), b = pl::ones<float>(shape), c = pl::ones<float>(shape);
  large o = pl::zeros<float>(shape);
  open const x = a, y = b, z = c;
  open w = pl::on(pl::cpu<0>, pl::zeros<float>(shape));
  auto const raw = std::make_unique<float[]>(many);
  large_placed(o, a, b, c);
  scope_placed(w, x, y, z);
  large_by_hand(raw.get(), a.data(), b.data(), c.data());
}

void run_small() {
  small<2, 3> const a{{1, 2, 3}, {4, 5, 6}};
  float const raw_a[2][3]{{1, 2, 3}, {4, 5, 6}};
  small<2, 3> o;
  float raw[2][3];
  small_placed(o, a, a, a);
  small_by_hand(raw, raw_a, raw_a, raw_a);
}

void run_product() {
  small<4, 4> const a{{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 2, 3, 4}, {5, 6, 7, 8}};
  float const raw_a[4][4]{{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 2, 3, 4}, {5, 6, 7, 8}};
  small<4, 4> o;
  float raw[4][4];
  product_placed(o, a, a, a);
  product_by_hand(raw, raw_a, raw_a, raw_a);
}

}  // namespace

int main() {
  run_large();
  run_small();
  run_product();
}
