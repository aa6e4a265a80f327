/// A user-defined op in the user's namespace. It has no GPU kernel and runs on the CPU. The ops
/// around it stay on the GPU, and the log reports the fallback.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

namespace my {

/// The smallest prime that is at least x.
struct next_prime_op {
  static constexpr std::string_view name = "NextPrime";  // in the log
  using pattern = pl::map;                               // one result per element
  using kernels = pl::cpu_only;                          // without this line a GPU kernel exists

  int operator()(int x) const noexcept {
    while (!is_prime(x)) ++x;
    return x;
  }

 private:
  static bool is_prime(int x) noexcept {
    for (int d = 2; d <= x / d; ++d)
      if (x % d == 0) return false;
    return x > 1;
  }
};

template <pl::operand X>
auto next_prime(X&& x, pl::site at = pl::site::here()) -> pl::unary<next_prime_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}  // namespace my

int main() {
  pl::set_log_device_placement(true);
  pl::set_log_format(pl::log_format::tf2);

  pl::tensor x{1, 8, 14, 100};
  auto e = my::next_prime(x * 2) + 1;  // nothing is computed yet
  std::cout << pl::explain(e) << std::endl;

  pl::tensor y = e;
  std::cout << y << std::endl;

  pl::with_device scope("/gpu:0", pl::hard_placement{});
  try {
    pl::tensor z = my::next_prime(x);
    std::cout << z << std::endl;
  } catch (pl::placement_error const& error) { std::cout << error.what() << std::endl; }
}
