/// Random programs over tasks. Their output is the same under mpirun and with simulated tasks.
/// usage: random_program [first seed] [programs] [longest message]
/// Without the last: also random expressions placed on tasks, beside those of this process alone.
#include <placement/mpi.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

namespace pl = placement;
using matrix = pl::tensor<float, pl::dextents<2>>;

/// The same numbers on every task.
struct numbers {
  std::uint64_t state;
  unsigned below(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state >> 33) % n;
  }
};

/// A device of a task, or of every task.
std::string device(numbers& random) {
  auto const tasks = static_cast<unsigned>(pl::this_task().count);
  std::string const kind =
      random.below(3) == 0 ? "gpu:" + std::to_string(random.below(2)) : "cpu:0";
  switch (random.below(4)) {
    case 0: return "/" + kind;
    case 1: return "/job:worker";
    default:
      return "/job:worker/task:" + std::to_string(random.below(tasks)) +
             (random.below(5) == 0 ? std::string() : "/" + kind);
  }
}

std::uint64_t hash_of(matrix const& x) {
  auto const h = x.read();
  std::uint64_t v = 1469598103934665603u;
  auto const* p = reinterpret_cast<unsigned char const*>(h.data());
  for (std::size_t i = 0; i != h.size() * sizeof(float); ++i) v = (v ^ p[i]) * 1099511628211u;
  return v;
}

class program {
 public:
  program(std::uint64_t seed, pl::index_t n) : random_{seed * 7919 + 13}, n_(n) {
    pl::set_seed(seed);
    for (int i = 0; i != 3; ++i) x_.push_back(matrix(pl::uniform<float>(pl::shape(n_, n_))));
  }

  void run(int statements) {
    for (int i = 0; i != statements; ++i) {
      try {
        step();
      } catch (pl::placement_error const& e) { say(std::string("error: ") + e.what()); }
    }
    for (matrix const& x : x_) {
      bool const differs = x.where().task == pl::per_task;
      say(pl::to_string(x.where()) + ' ' +
          std::to_string(hash_of(differs ? pl::all_gather(x) : x)));
    }
  }

 private:
  void say(std::string const& text) {
    pl::at_chief([&] { std::printf("%s\n", text.c_str()); });
  }
  matrix& any() { return x_[random_.below(static_cast<unsigned>(x_.size()))]; }
  std::string device() { return ::device(random_); }
  int task() { return static_cast<int>(random_.below(static_cast<unsigned>(tasks_))); }

  matrix value() {
    matrix const a = any(), b = any();
    switch (random_.below(18)) {
      case 0: return a + b;
      case 1: return pl::on(device(), pl::relu(a * 2.f - b));
      case 2: return pl::on(device(), pl::matmul(a, b));
      case 3: return pl::matmul(pl::on(device(), a + b), b) + a;
      case 4: return pl::copy_to(device(), a);
      case 5: return pl::of_task(a, task());
      case 6: {
        auto const first = pl::all_sum(a * 0.5f, pl::in_background);
        auto const second = pl::all_mean(b, pl::in_background);
        matrix const c = pl::relu(a) + b;
        return random_.below(2) == 0 ? matrix(first.get() - second.get()) : c;
      }
      case 7: return pl::all_mean(a);
      case 8: return pl::broadcast_from(task(), b);
      case 9: {
        int const shift = task();
        return pl::each_task([&](pl::task t) {
          return matrix(pl::uniform<float>(pl::shape(n_, n_)) * (1.f + float(t.index * shift)));
        });
      }
      case 10: return pl::transpose(a) * b;
      case 11: return a - pl::sum(b, 0);
      case 12: {
        pl::with_device const scope(device());
        return pl::tanh(a) + pl::sum(b * b);
      }
      case 13: return pl::item(pl::mean(a)) > 0.3f ? matrix(a * 0.25f) : matrix(b);
      case 14:
        return matrix(pl::concat(0, pl::slice(pl::view(any()), pl::range(0, n_ / 2)),
                                 pl::slice(b, pl::range(n_ / 2, n_))));
      case 15: {
        matrix c = a;
        c += b;
        pl::with_device const scope(device());
        c = c * 0.5f + a;
        return c;
      }
      case 16: {
        matrix c = random_.below(2) == 0 ? a : pl::copy_to(device(), a);
        pl::slice(pl::view(c), pl::range(1, n_ / 2)) =
            matrix(pl::slice(b, pl::range(n_ / 2, n_ - 1)));
        return c;
      }
      default: return pl::all_max(a - b);
    }
  }
  void step() {
    matrix next = value();
    if (x_.size() < 6) x_.push_back(std::move(next));
    else any() = std::move(next);
  }

  numbers random_;
  pl::index_t n_;
  int tasks_ = pl::this_task().count;
  std::vector<matrix> x_;
};

/// A random expression of some depth, with the same ops for one seed, on tasks or here.
class expression {
 public:
  enum class where { on_tasks, here };
  expression(std::uint64_t seed, where w) : random_{seed * 104729 + 7}, where_(w) {
    pl::set_seed(seed);
    auto const n = static_cast<pl::index_t>(1 + random_.below(40));
    for (int i = 0; i != 3; ++i) x_.push_back(matrix(pl::uniform<float>(pl::shape(n, n))));
    for (matrix& x : x_) {
      std::string const name = ::device(random_);
      if (where_ == where::on_tasks) x = pl::copy_to(name, x);
    }
  }
  matrix value(int depth) {
    if (depth == 0) return x_[random_.below(3)];
    matrix const a = value(depth - 1), b = value(depth - 1);
    std::string const name = ::device(random_);
    auto const placed = [&](auto const& e) {
      return where_ == where::on_tasks ? matrix(pl::on(name, e)) : matrix(e);
    };
    switch (random_.below(7)) {
      case 0: return placed(a + b * 0.5f);
      case 1: return placed(pl::relu(a - b) * a);
      case 2: return placed(pl::matmul(a, pl::tanh(b)));
      case 3: return placed(pl::transpose(a) * b);
      case 4: return placed(a - pl::sum(b, 0));
      case 5: return placed(pl::softmax(a) + pl::max(b));
      default: return placed(pl::sqrt(pl::abs(a)) - pl::mean(b) * pl::exp(-pl::abs(a)));
    }
  }

 private:
  numbers random_;
  where where_;
  std::vector<matrix> x_;
};
/// How many of these expressions have the same bits on tasks as here.
int equal_expressions(int count) {
  int equal = 0;
  for (int i = 0; i != count; ++i) {
    auto const seed = static_cast<std::uint64_t>(i);
    equal += hash_of(expression(seed, expression::where::on_tasks).value(3)) ==
             hash_of(expression(seed, expression::where::here).value(3));
  }
  return equal;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    auto const longest = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::size_t{1} << 30;
    pl::tasks const all(pl::mpi{argc, argv, {}, longest});
    int const first = argc > 1 ? std::atoi(argv[1]) : 0, count = argc > 2 ? std::atoi(argv[2]) : 10;
    for (int seed = first; seed != first + count; ++seed) {
      pl::message_count const before = pl::messages_so_far();
      program(static_cast<std::uint64_t>(seed), seed % 3 == 0 ? 40 : 6).run(40);
      pl::message_count const after = pl::messages_so_far();
      auto const made = pl::each_task([&](pl::task t) {
        bool const counts = !all.is_simulated() || t.index == 0;
        return counts
                   ? pl::tensor<double, pl::dextents<1>>{double(after.sent - before.sent),
                                                         double(after.bytes_sent -
                                                                before.bytes_sent),
                                                         double(after.received - before.received)}
                   : pl::tensor<double, pl::dextents<1>>{0., 0., 0.};
      });
      auto const sums = pl::all_sum(made).read();
      pl::at_chief([&] {
        std::printf("seed %d: %.0f messages, %.0f B, %.0f received\n", seed, sums(0), sums(1),
                    sums(2));
        std::fflush(stdout);
      });
    }
    if (argc <= 3) {
      int const equal = equal_expressions(300);
      pl::at_chief([&] { std::printf("300 expressions on tasks: %d as here\n", equal); });
    }
    return 0;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
