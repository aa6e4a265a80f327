// Files of NumPy that are mapped into memory.
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <placement/interop/npz.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <fstream>
#include <string>

using namespace placement;

namespace {

/// The number of mappings of files below a folder.
std::size_t mappings_of(temporary_folder const& folder) {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(folder.path()) != line.npos;
  return count;
}

}  // namespace

TEST_CASE("a mapped array is an operand of expressions, in both orders") {
  temporary_folder const folder;
  with_device const scope("/cpu:0");
  matrix<float> const x = iota(shape(3, 4), 0.f);
  for (npy_order const order : {npy_order::c, npy_order::fortran}) {
    save_npy(folder / "x.npy", x, order);
    auto const m = map_npy<float const, 2>(folder / "x.npy");
    CHECK(m.shape() == shape(3, 4));
    CHECK(to_string(matrix<float>(m)) == to_string(x));
    CHECK(to_string(matrix<float>(m * 2.f + 1.f)) == to_string(matrix<float>(x * 2.f + 1.f)));
    CHECK(to_string(matrix<float>(transpose(m))) == to_string(matrix<float>(transpose(x))));
    CHECK(to_string(matrix<float>(slice(m, range{1, 3}, range{0, 4, 2}))) == "[[4 6]\n [8 10]]");
    CHECK(to_string(matrix<float>(matmul(m, transpose(m)))) ==
          to_string(matrix<float>(matmul(x, transpose(x)))));
    CHECK(item(sum(m)) == 66);
    CHECK(to_string(vector<float>(sum(m, axis<0>))) == "[12 15 18 21]");
    CHECK(to_string(m) == to_string(x));
  }
}

TEST_CASE("mapped arrays of other ranks and types") {
  temporary_folder const folder;
  with_device const scope("/cpu:0");
  save_npy(folder / "scalar.npy", tensor<double, dextents<0>>(2.5));
  CHECK(item(map_npy<double const, 0>(folder / "scalar.npy")) == 2.5);
  save_npy(folder / "vector.npy", vector<bool>{true, false});
  CHECK(to_string(vector<bool>(map_npy<bool const, 1>(folder / "vector.npy"))) == "[True False]");
  tensor<float16, dextents<3>> const x = cast<float16>(iota(shape(2, 3, 4), 0));
  save_npy(folder / "cube.npy", x, npy_order::fortran);
  CHECK(to_string(map_npy<float16 const, 3>(folder / "cube.npy")) == to_string(x));
  save_npy(folder / "empty.npy", zeros<float>(shape(0, 3)));
  auto const empty = map_npy<float const, 2>(folder / "empty.npy");
  CHECK(empty.shape() == shape(0, 3));
  CHECK(matrix<float>(empty + 1.f).size() == 0);
}

TEST_CASE("the value of a mapped array is its own, and may be written to") {
  temporary_folder const folder;
  with_device const scope("/cpu:0");
  save_npy(folder / "x.npy", vector<float>{1.f, 2.f});
  std::string const bytes = folder.read("x.npy");
  auto const m = map_npy<float const, 1>(folder / "x.npy");
  vector<float> x = m;
  x = x + 1.f;
  vector<float> y = reshape(m, shape(2));
  slice(view(y), range{0, 1}) = 9.f;
  vector<float> z = copy_to(cpu0, m);
  z.data()[0] = 7;
  CHECK(to_string(x) == "[2 3]");
  CHECK(to_string(y) == "[9 2]");
  CHECK(to_string(z) == "[7 2]");
  CHECK(to_string(vector<float>(m)) == "[1 2]");
  CHECK(folder.read("x.npy") == bytes);
}

TEST_CASE("a mapping ends with the last of its copies") {
  temporary_folder const folder;
  with_device const scope("/cpu:0");
  save_npy(folder / "x.npy", vector<float>{1.f, 2.f});
  {
    auto const later = [&] {
      auto const m = map_npy<float const, 1>(folder / "x.npy");
      auto const copy = m;
      return copy * 2.f;
    }();
    CHECK(mappings_of(folder) == 1);
    save_npy(folder / "x.npy", vector<float>{5.f, 6.f});
    CHECK(to_string(vector<float>(later)) == "[2 4]");
  }
  CHECK(mappings_of(folder) == 0);
}

TEST_CASE("a kernel on a GPU copies the mapped array there") {
  temporary_folder const folder;
  save_npy(folder / "x.npy", vector<float>{1.f, 2.f}, npy_order::fortran);
  auto const m = map_npy<float const, 1>(folder / "x.npy");
  std::size_t const bytes = copies_between(cpu0, gpu1).bytes;
  vector<float> const x = on("/gpu:1", m + 1.f);
  CHECK(x.where() == gpu1);
  CHECK(to_string(x) == "[2 3]");
  CHECK(copies_between(cpu0, gpu1).bytes == bytes + 8);
}

TEST_CASE("a kernel on a GPU copies the rows of a mapped array that it reads") {
  temporary_folder const folder;
  save_npy(folder / "x.npy", matrix<float>{{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  auto const m = map_npy<float const, 2>(folder / "x.npy");
  std::size_t const bytes = copies_between(cpu0, gpu1).bytes;
  matrix<float> const x = on("/gpu:1", slice(m, range{1, 3}) + 1.f);
  CHECK(to_string(x) == "[[4 5]\n [6 7]]");
  CHECK(copies_between(cpu0, gpu1).bytes == bytes + 16);
}

TEST_CASE("arrays that cannot be used where they lie are errors") {
  temporary_folder const folder;
  auto const why = [&](std::string const& dictionary, std::size_t elements) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dictionary.size());
    folder.write("x.npy", bytes + '\0' + dictionary + std::string(elements, '\2'));
    return folder.without_path(error_message<file_error>(
        [&] { map_npy<float const, 1>(folder / "x.npy", {"a.cpp", 7}); }));
  };
  std::string const rest = "'fortran_order': False, 'shape': (2,)}";
  CHECK(why("{'descr': '>f4', " + rest, 8) ==
        "placement: 'x.npy' holds '>f4' (float) [2], C order and cannot be mapped, because it has "
        "the other byte order. Load it, or write it by placement.");
  CHECK(
      why("{'descr': '<f4', " + rest, 8) ==
      "placement: 'x.npy' holds '<f4' (float) [2], C order and cannot be mapped, because it begins "
      "at no multiple of its element's size. Load it, or write it by placement.");
  CHECK(why("{'descr': '<f4',    " + rest, 8) == "");
  CHECK(why("{'descr': '<f4',    " + rest, 7) != "");
  CHECK(error_message([&] {
          map_npy<int const, 1>(folder / "x.npy", {"a.cpp", 7});
        }).find("Write map_npy<float const, 1>. In map_npy at a.cpp:7.") != std::string::npos);
  folder.write("x.npy", "\x93NUMPY");
  CHECK_THROWS_AS((map_npy<float const, 1>(folder / "x.npy")), file_error);
  CHECK(mappings_of(folder) == 0);
}

TEST_CASE("an array without elements is mapped from any byte, unless its extents overflow") {
  temporary_folder const folder;
  with_device const scope("/cpu:0");
  auto const write = [&](std::string const& descr, std::string const& shape) {
    std::string const dictionary =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dictionary.size());
    folder.write("x.npy", bytes + '\0' + dictionary);
    return bytes.size() + 1 + dictionary.size();
  };
  for (std::string const descr : {"<f4", ">f4"}) {
    REQUIRE(write(descr, "(0, 3)") % 4 != 0);
    auto const m = map_npy<float const, 2>(folder / "x.npy");
    CHECK(m.shape() == shape(0, 3));
    CHECK(matrix<float>(m + 1.f).size() == 0);
  }
  write("<f4", "(0, 4611686018427387904, 4611686018427387904)");
  CHECK_THROWS_AS((map_npy<float const, 3>(folder / "x.npy")), file_error);
}

TEST_CASE("a stored array of an archive is mapped") {
  temporary_folder const folder;
  with_device const scope("/cpu:0");
  matrix<double> const x = iota(shape(3, 4), 0.);
  npz_writer out(folder / "a.npz");
  out.add("some name", vector<bool>{true});
  out.add("x", x, npy_order::fortran);
  out.close();
  auto const m = [&] {
    npz_file const in(folder / "a.npz");
    CHECK_THROWS_AS((in.map<double const, 2>("y")), invalid_argument);
    CHECK_THROWS_AS((in.map<double const, 1>("x")), shape_error);
    CHECK(error_message([&] {
            in.map<float const, 2>("x", {"a.cpp", 7});
          }).ends_with("Write map<double const, 2>. In npz_file::map at a.cpp:7."));
    return in.map<double const, 2>("x");
  }();
  CHECK(to_string(matrix<double>(m - 1.)) == to_string(matrix<double>(x - 1.)));
  std::string bytes = folder.read("a.npz");
  bytes[8] = bytes[bytes.find("PK\1\2") + 10] = detail::zip::deflated;
  folder.write("a.npz", bytes);
  CHECK(
      folder.without_path(
          error_message([&] { npz_file(folder / "a.npz").map<bool const, 1>("some name"); })) ==
      "placement: 'some name' in 'a.npz' is compressed and cannot be mapped. Load it, or write it "
      "by placement.");
}

TEST_CASE("an array of more than 8 dimensions is an error that says to reshape it") {
  temporary_folder const folder;
  std::string const dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0' + dictionary + std::string(4, '\0');
  folder.write("x.npy", bytes);
  detail::zip_writer zip(folder / "a.npz");
  zip.add("x.npy", bytes, nullptr, 0);
  zip.finish();
  npz_file const in(folder / "a.npz");
  site const at{"a.cpp", 7};
  auto const text = [](std::string const& name, std::string const& call) {
    return "placement: " + name +
           " holds '<f4' (float) [1, 1, 1, 1, 1, 1, 1, 1, 1], C order. Tensors have at most 8 "
           "dimensions: reshape it in NumPy. In " +
           call + " at a.cpp:7.";
  };
  auto const why = [&](auto const& call) {
    return folder.without_path(error_message<shape_error>(call));
  };
  CHECK(why([&] { load_npy<float, 8>(folder / "x.npy", at); }) == text("'x.npy'", "load_npy"));
  CHECK(why([&] { load_npy<int, 2>(folder / "x.npy", at); }) == text("'x.npy'", "load_npy"));
  CHECK(why([&] { map_npy<float const, 1>(folder / "x.npy", at); }) == text("'x.npy'", "map_npy"));
  CHECK(why([&] { in.load<float, 1>("x", at); }) == text("'x' in 'a.npz'", "npz_file::load"));
  CHECK(why([&] { in.map<float const, 1>("x", at); }) == text("'x' in 'a.npz'", "npz_file::map"));
}

TEST_CASE("a slice of a mapped array of 64 GiB reads its own pages") {
  temporary_folder const folder;
  with_device const scope("/cpu:0");
  index_t const rows = index_t{1} << 24, columns = 1024;
  {
    detail::replacement_file file(folder / "x.npy");
    dextents<2> const all = shape(rows, columns);
    file.write(detail::npy_header_text(*detail::npy_type_of("float"), all, npy_order::c));
    file.skip(static_cast<std::uint64_t>(rows * columns - 2) * sizeof(float));
    float const last[] = {3, 4};
    file.write(last, sizeof last);
    file.commit();
  }
  auto const m = map_npy<float const, 2>(folder / "x.npy");
  auto const end = slice(m, range{rows - 2, rows}, range{columns - 4, columns});
  CHECK(to_string(matrix<float>(end * 2.f)) == "[[0 0 0 0]\n [0 0 6 8]]");
  CHECK(item(sum(end)) == 7);
}
