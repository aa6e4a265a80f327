// gpus: 0
// CPU kernels on several threads: the same results, whichever thread executes which chunk.
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

constexpr index_t many = 1'200'000;  // enough elements for several threads

/// Executes chunks in an order of its own, each on its own thread, `threads` at a time.
class scattered final : public executor {
 public:
  explicit scattered(int n) : threads_(n) {}
  std::atomic<int> requested{0}, done{0};

  int threads() noexcept override { return threads_; }
  void run(int count, chunk each, void* work) noexcept override {
    ++requested;
    for (int first = count; first > 0; first -= threads_) {
      std::vector<std::thread> running;
      for (int i = std::max(first - threads_, 0); i != first; ++i)
        running.emplace_back([=, this] {
          each(work, i);
          ++done;
        });
      for (auto& one : running) one.join();
    }
  }

 private:
  int threads_;
};

template <class A> std::vector<unsigned char> bytes_of(A const& t) {
  auto const view = t.read();
  std::vector<unsigned char> bytes(t.size() * sizeof(*view.data()));
  std::memcpy(bytes.data(), view.data(), bytes.size());
  return bytes;
}

/// The results of every kind of kernel as bytes.
std::vector<std::vector<unsigned char>> results() {
  vector<float> const a = sin(iota(many, 0.f)), b = cos(iota(many, 1.f) * 3.f);
  matrix<float> const m = reshape(a, shape(1200, 1000)), n = reshape(b, shape(1000, 1200));
  matrix<float> const left = slice(m, range(0, 300)), right = slice(n, everything, range(0, 300));
  matrix<float> const wide = reshape(a, shape(2, many / 2));
  vector<float> const row = slice(b, range(0, 1000));
  vector<float> with_nan =
      where(iota(many, 0.f) == 800'001.f, std::numeric_limits<float>::quiet_NaN(), a);
  std::vector<std::vector<unsigned char>> all;
  auto const keep = [&](auto const& e) { all.push_back(bytes_of(evaluate(e))); };
  keep((a + b) * a - b);
  keep(m + row);
  keep(m * reshape(slice(b, range(0, 1200)), shape(1200, 1)));
  keep(transpose(n) * m);
  keep(reverse(a, 0) + b);
  keep(wide + slice(b, range(0, many / 2)));
  keep(cast<std::int64_t>(a * 100.f));
  keep(sum(a));
  keep(sum(a * b));
  keep(mean(a));
  keep(prod(a + 1.f));
  keep(variance(b));
  keep(max(a));
  keep(min(a + b));
  keep(argmax(b));
  keep(argmin(floor(b * 2.f)));
  keep(max(with_nan));
  keep(argmax(with_nan));
  keep(sum(transpose(n) + m));
  keep(argmax(transpose(n)));
  keep(sum(m, 0));
  keep(sum(m, 1));
  keep(mean(wide, 1));
  keep(argmax(m, 0));
  keep(max(n, 1));
  keep(any(a > 2.f));
  keep(count_nonzero(a > 0.f));
  keep(matmul(left, right));
  keep(relu(matmul(left, right) + slice(b, range(0, 300))));
  keep(softmax(m));
  keep(sum(m) * m);
  matrix<float> s = m, d = m;
  evaluate(into(s) = exp(m + row) * m, into(d) = exp(m + row) - transpose(n));
  all.push_back(bytes_of(s));
  all.push_back(bytes_of(d));
  return all;
}

/// Waits at most 20 s until another thread makes f() true.
template <class F> bool await(F const& f) {
  auto const last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!f()) {
    if (std::chrono::steady_clock::now() > last) return false;
    std::this_thread::yield();
  }
  return true;
}

/// An identity op that records when two threads execute it at the same time.
std::atomic<int> inside{0};
std::atomic<bool> met{false};
struct meeting_op {
  static constexpr std::string_view name = "Meeting";
  using pattern = placement::map;
  using kernels = cpu_only;
  static float meet(float x) noexcept {
    ++inside;
    if (await([] { return inside >= 2 || met; })) met = true;
    --inside;
    return x;
  }
  float operator()(float x) const noexcept { return x == 0.f ? meet(x) : x; }
};
std::mutex seen_guard;
std::set<std::thread::id> seen_threads;
struct seen_op {
  static constexpr std::string_view name = "Seen";
  using pattern = placement::map;
  using kernels = cpu_only;
  float operator()(float x) const noexcept {
    if (x != 0.f) return x;
    std::lock_guard const guard(seen_guard);
    seen_threads.insert(std::this_thread::get_id());
    return x;
  }
};
/// Zero at every 1,000th element.
vector<float> dotted() {
  vector<float> x = cast<float>(iota(many, index_t{0}) % index_t{1000});
  return x;
}

}  // namespace

TEST_CASE("results do not depend on the number of threads or on which thread executes a chunk") {
  scattered one(1);
  set_executor(&one);
  auto const expected = results();
  CHECK(one.requested == 0);
  for (int threads : {2, 3, 7}) {
    INFO(threads << " threads");
    scattered some(threads);
    set_executor(&some);
    auto const found = results();
    set_executor(&one);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i != found.size(); ++i) {
      INFO("result " << i);
      CHECK(found[i] == expected[i]);
    }
    CHECK(some.requested > 20);
    CHECK(some.done > 2 * some.requested);
  }
}

TEST_CASE("the library's own threads give the same results") {
  set_intra_op_threads(3);
  auto const found = results();
  scattered one(1);
  set_executor(&one);
  CHECK(found == results());
}

TEST_CASE("small work does not use the executor") {
  scattered some(4);
  set_executor(&some);
  vector<float> const a = iota(1000, 0.f);
  vector<float> const b = a * a + 1.f;
  CHECK(sum(b).shape().count() == 1);
  CHECK(evaluate(sum(b)).read()() > 0);
  CHECK(some.requested == 0);
}

TEST_CASE("chunks run at the same time") {
  set_intra_op_threads(4);
  vector<float> const x = zeros<float>(many);
  vector<float> const y = evaluate(unary<meeting_op, vector<float> const&>{{}, site::here(), x});
  CHECK(met);
  CHECK(y.size() == static_cast<std::size_t>(many));
}

TEST_CASE("with one thread the caller executes everything") {
  set_intra_op_threads(1);
  vector<float> const x = dotted();
  vector<float> const y = evaluate(unary<seen_op, vector<float> const&>{{}, site::here(), x});
  CHECK(seen_threads == std::set{std::this_thread::get_id()});
}

TEST_CASE("there are never more threads than requested") {
  set_intra_op_threads(3);
  vector<float> const x = dotted();
  for (int i = 0; i != 50; ++i)
    vector<float> const y = evaluate(unary<seen_op, vector<float> const&>{{}, site::here(), x});
  CHECK(seen_threads.size() <= 3);
}

TEST_CASE("an exception propagates to the caller, and the target is unchanged") {
  set_intra_op_threads(4);
  vector<float> const bad = where(iota(many, 0.f) == 1'000'000.f, 3.f, 0.f);
  vector<float> target = evaluate(iota(many, 5.f));
  for (int i = 0; i != 20; ++i) {
    CHECK_THROWS_AS(target = at_most_two(bad), std::runtime_error);
    CHECK(target.read()(7) == 12.f);
  }
  target = at_most_two(bad * 0.f);  // the threads still work
  CHECK(target.read()(1'000'000) == 0.f);
}

TEST_CASE("of several exceptions the one of the first chunk is thrown") {
  set_intra_op_threads(4);
  std::string said;
  auto const part = [](work_chunk const& p) {
    if (p.begin >= 100) throw std::runtime_error(std::to_string(p.begin));
  };
  for (int i = 0; i != 50; ++i) {
    try {
      par{}.parallel_for({1600, 100, 1u << 24, 0, false}, part);
    } catch (std::runtime_error const& e) { said = e.what(); }
    CHECK(said == "100");
  }
}

TEST_CASE("threads of the program can compute at the same time") {
  set_intra_op_threads(3);
  vector<float> const a = sin(iota(many, 0.f));
  float const expected = evaluate(sum(a * a)).read()();
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t != 6; ++t)
    all.emplace_back([&] {
      for (int i = 0; i != 20; ++i) {
        vector<float> const b = a * a;
        if (evaluate(sum(b)).read()() != expected) ++wrong;
      }
    });
  for (auto& one : all) one.join();
  CHECK(wrong == 0);
}

TEST_CASE("results that exceed the caches are correct, wherever they are written") {
  constexpr index_t large = 12'000'001;  // 144 MB with both operands
  std::vector<float> memory(static_cast<std::size_t>(large) + 16, -1.f);
  vector<float> const a = iota(large, 0.f), b = evaluate(ones<float>(large));
  for (index_t shift : {0, 1, 3}) {
    auto out = borrow(memory.data() + 8 + shift, shape(large));
    out = a + b;
    CHECK(memory[static_cast<std::size_t>(7 + shift)] == -1.f);
    CHECK(memory[static_cast<std::size_t>(8 + shift + large)] == -1.f);
    index_t wrong = 0;
    for (index_t i = 0; i != large; ++i)
      wrong += memory[static_cast<std::size_t>(8 + shift + i)] != static_cast<float>(i) + 1.f;
    CHECK(wrong == 0);
    std::fill(memory.begin(), memory.end(), -1.f);
  }
  vector<float> const c = a + b;
  CHECK(c.read()(large - 1) == static_cast<float>(large - 1) + 1.f);
}
