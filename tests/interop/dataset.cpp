// Batches of labelled examples.
#include <support/log_lines.hpp>

#include <placement/interop/dataset.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace placement;

namespace {

/// n examples of two numbers: i and 2 i. Their labels are i % 3.
tensor<std::uint8_t, dextents<2>> some_examples(index_t n) {
  std::vector<std::uint8_t> v;
  for (index_t i = 0; i != n; ++i) {
    v.push_back(static_cast<std::uint8_t>(i));
    v.push_back(static_cast<std::uint8_t>(2 * i));
  }
  return from(v, shape(n, 2));
}
tensor<std::uint8_t, dextents<1>> some_labels(index_t n) {
  std::vector<std::uint8_t> v;
  for (index_t i = 0; i != n; ++i) v.push_back(static_cast<std::uint8_t>(i % 3));
  return from(v);
}
/// The numbers of the examples of a batch. Checks the rest of it.
std::vector<int> numbers_of(labelled_batch<2> const& b) {
  std::vector<int> all;
  auto const x = b.examples.read();
  auto const y = b.labels.read();
  for (index_t i = 0; i != b.labels.extent(0); ++i) {
    all.push_back(static_cast<int>(x(i, 0)));
    CHECK(x(i, 1) == 2 * x(i, 0));
    CHECK(y(i) == all.back() % 3);
  }
  return all;
}
template <class D> std::vector<int> drawn(D& d, std::vector<index_t> const& sizes) {
  std::vector<int> all;
  for (index_t n : sizes) {
    auto const some = numbers_of(d.next_batch(n));
    CHECK(some.size() == static_cast<std::size_t>(n));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}
std::vector<int> counted(int from, int end) {
  std::vector<int> all;
  for (int i = from; i != end; ++i) all.push_back(i);
  return all;
}

}  // namespace

TEST_CASE("each epoch has every example once, in another order") {
  dataset d(some_examples(20), some_labels(20), {.seed = 4});
  CHECK(d.size() == 20);
  CHECK(d.classes() == 3);
  std::vector<std::vector<int>> epochs;
  for (std::uint64_t e = 0; e != 3; ++e) {
    CHECK(d.epoch() == e);
    epochs.push_back(drawn(d, {5, 5, 10}));
    auto sorted = epochs.back();
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == counted(0, 20));
  }
  CHECK(epochs[0] != counted(0, 20));
  CHECK(epochs[0] != epochs[1]);
  CHECK(epochs[1] != epochs[2]);
}

TEST_CASE("a short rest of an epoch is joined with the start of the next") {
  dataset whole(some_examples(10), some_labels(10), {.seed = 9});
  dataset d(some_examples(10), some_labels(10), {.seed = 9});
  auto const expected = drawn(whole, {10, 10, 10, 10});
  CHECK(drawn(d, {7}) == std::vector<int>(expected.begin(), expected.begin() + 7));
  CHECK(d.epoch() == 0);
  CHECK(drawn(d, {7}) == std::vector<int>(expected.begin() + 7, expected.begin() + 14));
  CHECK(d.epoch() == 1);
  CHECK(drawn(d, {26}) == std::vector<int>(expected.begin() + 14, expected.end()));
  CHECK(d.epoch() == 4);
}

TEST_CASE("the order depends on the seed only, not on the sizes of batches") {
  auto const order = [](std::uint64_t seed, std::vector<index_t> const& sizes) {
    dataset d(some_examples(50), some_labels(50), {.seed = seed});
    return drawn(d, sizes);
  };
  auto const first = order(1, {60, 60});
  CHECK(order(1, {20, 20, 20, 20, 20, 20}) == first);
  CHECK(order(1, {1, 2, 3, 4, 5, 45, 60}) == first);
  CHECK(order(2, {60, 60}) != first);
}

TEST_CASE("shuffled orders are equally likely") {
  int first[4]{};
  for (std::uint64_t seed = 0; seed != 400; ++seed) {
    dataset d(some_examples(4), some_labels(4), {.seed = seed});
    ++first[numbers_of(d.next_batch(1))[0]];
  }
  for (int const n : first) CHECK((n > 70 && n < 130));  // 100, standard deviation 8.7
}

TEST_CASE("examples as given are scaled; labels are integers or probabilities") {
  dataset d(some_examples(5), some_labels(5),
            {.order = epoch_order::as_given, .scale = 0.5f, .classes = 4});
  auto const b = d.next_batch(3);
  CHECK(to_string(b.examples) == "[[0 0]\n [0.5 1]\n [1 2]]");
  CHECK(to_string(b.labels) == "[0 1 2]");
  CHECK(b.classes == 4);
  CHECK(to_string(b.one_hot()) == "[[1 0 0 0]\n [0 1 0 0]\n [0 0 1 0]]");
  CHECK(to_string(d.next_batch(3).examples) == "[[1.5 3]\n [2 4]\n [0 0]]");
}

TEST_CASE("batches keep the shape of the examples, and are placed by the scope") {
  tensor<double, extents<4, 2, 3>> const x = ones<double>(extents<4, 2, 3>{});
  dataset d(x, tensor{0, 1, 0, 1});
  with_device const scope("/gpu:1");
  for (int i = 0; i != 3; ++i) {
    auto const b = d.next_batch(3);
    CHECK(b.examples.shape() == shape(3, 2, 3));
    CHECK(b.examples.where() == device{kind::gpu, 1});
    CHECK(b.labels.where() == device{kind::gpu, 1});
    CHECK(item(sum(b.examples)) == 18);
  }
}

TEST_CASE("a dataset keeps its examples when the tensor is changed or ends") {
  tensor<std::uint8_t, dextents<2>> x = some_examples(6);
  dataset d(x, some_labels(6), {.order = epoch_order::as_given});
  CHECK(drawn(d, {2}) == counted(0, 2));
  x = zeros<std::uint8_t>(6, 2);
  CHECK(drawn(d, {2}) == counted(2, 4));
  x = some_examples(1);
  CHECK(drawn(d, {2}) == counted(4, 6));
}

TEST_CASE("a transform changes the numbers of each example, also in the background") {
  dataset d(some_examples(6), some_labels(6), {.order = epoch_order::as_given},
            [](float* x, index_t n, index_t example) {
              for (index_t j = 0; j != n; ++j) x[j] += 100 * static_cast<float>(example + 1);
            });
  CHECK(to_string(d.next_batch(2).examples) == "[[100 100]\n [201 202]]");
  CHECK(to_string(d.next_batch(2).examples) == "[[302 304]\n [403 406]]");
}

TEST_CASE("an exception of the background passes to the caller, and the batch is the next again") {
  struct faulty {
    int* faults;
    void operator()(float*, index_t, index_t example) const {
      if (example == 3 && (*faults)-- > 0) throw std::runtime_error("example 3");
    }
  };
  int faults = 2;
  dataset d(some_examples(6), some_labels(6), {.order = epoch_order::as_given}, faulty{&faults});
  CHECK(drawn(d, {2}) == counted(0, 2));
  for (int i = 0; i != 2; ++i)
    CHECK(error_message<std::runtime_error>([&] { (void)d.next_batch(2); }) == "example 3");
  CHECK(drawn(d, {2}) == counted(2, 4));
  CHECK(drawn(d, {2}) == counted(4, 6));
}

TEST_CASE("a dataset ends while its next batch is prepared, or before the first one") {
  auto const use_some = [](int n) {
    for (int i = 0; i != n; ++i) {
      dataset d(some_examples(50), some_labels(50));
      if (i % 2 == 0) (void)d.next_batch(40);
    }
  };
  auto const threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  use_some(2);  // starts the threads of the library
  auto const before = threads();
  use_some(200);
  CHECK(threads() < before + 50);  // a thread that has just ended may still be listed
}

TEST_CASE("the child of a fork goes on with the same batches, without the thread") {
  with_device const scope("/cpu:0");  // GPUs do not survive a fork
  dataset d(some_examples(30), some_labels(30), {.seed = 5});
  dataset same(some_examples(30), some_labels(30), {.seed = 5});
  auto const expected = drawn(same, {8, 8, 8, 8});
  (void)d.next_batch(8);
  pid_t const child = ::fork();
  if (child == 0) {
    bool good = true;
    for (int i = 1; i != 4; ++i) {
      auto const x = d.next_batch(8).examples.read();
      for (int k = 0; k != 8; ++k)
        good = good && static_cast<int>(x(k, 0)) == expected[static_cast<std::size_t>(8 * i + k)];
    }
    d.~dataset();
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(drawn(d, {8, 8, 8}) == std::vector<int>(expected.begin() + 8, expected.end()));
}

TEST_CASE("datasets without examples, and labels that do not fit, are errors") {
  auto const message = [](auto const& call, site test = site::here()) {
    return error_of("dataset", call, test);
  };
  CHECK(message([] { dataset d(some_examples(0), some_labels(0)); }) ==
        "placement: a dataset of no examples. Give one or more.");
  CHECK(message([] { dataset d(some_examples(3), some_labels(2)); }) ==
        "placement: a dataset of 3 examples and 2 labels. Give one label per example.");
  CHECK(message([] { dataset d(some_examples(3), tensor{0, -1, 2}); }) ==
        "placement: a dataset of label -1 of example 1. Labels are at least 0 and at most "
        "2147483646.");
  CHECK(message([] { dataset d(some_examples(3), tensor{0, 1, 2}, {.classes = 2}); }) ==
        "placement: a dataset of label 2 of example 2. Labels are at least 0 and at most 1.");
  dataset d(some_examples(3), some_labels(3));
  for (index_t const n : {0, -4})
    CHECK(error_message<invalid_argument>([&] { (void)d.next_batch(n); })
              .starts_with("placement: a batch of " + std::to_string(n) +
                           " examples. Give a number above 0."));
  CHECK(d.next_batch(1).labels.extent(0) == 1);
}
