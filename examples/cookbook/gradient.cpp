/// Fit a line by gradients from a tape.

#include <placement/gradient.hpp>

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::tensor const x{0.f, 1.f, 2.f, 3.f}, y{1.f, 3.f, 5.f, 7.f};
  pl::tensor w{0.f}, b{0.f};
  for (int step = 0; step != 200; ++step) {
    pl::gradient_tape tape(w, b);
    pl::tensor const loss = pl::mean(pl::square(w * x + b - y));
    auto const [dw, db] = tape.gradient(loss, w, b);
    w -= 0.1f * dw;
    b -= 0.1f * db;
  }
  std::cout << "y = " << pl::item(pl::round(w * 100.f)) / 100 << " x + "
            << pl::item(pl::round(b * 100.f)) / 100 << std::endl;
}
