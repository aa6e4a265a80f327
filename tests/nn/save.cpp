// Names of the variables of a model in a file.
#include <placement/nn.hpp>
#include <placement/nn/save.hpp>

#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <tuple>
#include <vector>

using namespace placement;

TEST_CASE("save.Two variables of one name are an error that names both, and the file stays") {
  temporary_folder const folder;
  std::string const path = folder / "w.npz";
  nn::variable a("w", tensor{1.f, 2.f}), b("b", tensor{3.f});
  nn::variable c("w", tensor{{4., 5.}});
  nn::save(path, std::tie(a, b));
  std::string const bytes = folder.read("w.npz");
  std::string const expected =
      "placement: variables 1 and 3 of the model have one name, 'w': float [2] and double [1, 2]. "
      "Give each variable its own name, or each part a layer_name.";
  CHECK(error_message<invalid_argument>([&] { nn::save(path, std::tie(a, b, c)); }) == expected);
  CHECK(folder.read("w.npz") == bytes);
  auto all = std::tie(a, b, c);
  CHECK(error_message<invalid_argument>([&] { nn::load(path, all); }) == expected);
  CHECK(to_vector(c.value()) == std::vector{4., 5.});
}

TEST_CASE("save.A file without one of several variables changes none of them") {
  temporary_folder const folder;
  std::string const path = folder / "a.npz";
  nn::variable a("a", tensor{1.f, 2.f}), b("b", tensor{3.f});
  nn::save(path, a);
  a.assign(tensor{0.f, 0.f});
  auto both = std::tie(a, b);
  CHECK(error_message([&] { nn::load(path, both); }).find("'b'") != std::string::npos);
  CHECK(to_vector(a.value()) == std::vector{0.f, 0.f});
  nn::load(path, a);
  CHECK(to_vector(a.value()) == std::vector{1.f, 2.f});
}

namespace {
/// Two encoders without a layer_name: their kernels have one name.
struct encoder {
  nn::variable<float, dextents<1>> kernel{"kernel", zeros<float>(3)};
  auto parts() { return std::tie(kernel); }
  auto parts() const { return std::tie(kernel); }
};
struct named_encoder : encoder {
  static constexpr std::string_view layer_name = "encoder";
};
template <class E> struct twins {
  E first, second;
  auto parts() { return std::tie(first, second); }
  auto parts() const { return std::tie(first, second); }
};
}  // namespace

TEST_CASE("save.A layer_name gives the variables of two parts names of their own") {
  temporary_folder const folder;
  std::string const path = folder / "w.npz";
  twins<encoder> const unnamed;
  CHECK(error_message<invalid_argument>([&] { nn::save(path, unnamed); })
            .starts_with("placement: variables 1 and 2 of the model have one name, 'kernel': "
                         "float [3] and float [3]."));
  twins<named_encoder> a, b;
  a.second.kernel.assign(ones<float>(3));
  nn::save(path, a);
  nn::load(path, b);
  CHECK(to_vector(b.first.kernel.value()) == std::vector<float>(3, 0.f));
  CHECK(to_vector(b.second.kernel.value()) == std::vector<float>(3, 1.f));
}
