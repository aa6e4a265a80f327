// NumPy's files of one array: written, read back, malformed, replaced.
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <placement/interop/npy.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace placement;

namespace {

/// A header of version 1.0 with this dictionary, then the elements.
std::string npy_of(std::string const& dictionary, std::string const& elements = {}) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size() & 255);
  text += static_cast<char>(dictionary.size() >> 8);
  return text + dictionary + elements;
}
/// The header of an array with this dtype and shape.
std::string npy_with(std::string const& descr, std::string const& shape,
                     std::string const& elements = {}, std::string const& fortran = "False") {
  return npy_of(
      "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n",
      elements);
}

/// What load_npy<float, 1> of these bytes throws, without the part before the file's name.
std::string why_malformed(std::string const& bytes) {
  temporary_folder const folder;
  folder.write("x.npy", bytes);
  return folder.without_path(
      error_message<file_error>([&] { load_npy<float, 1>(folder / "x.npy"); }));
}
std::string malformed(int byte, std::string const& what) {
  return "placement: 'x.npy' is malformed at byte " + std::to_string(byte) + ": " + what +
         ". Write it again, as with numpy.save.";
}

template <class T, class X> void check_round_trip(tensor<T, X> const& x) {
  temporary_folder const folder;
  for (npy_order const order : {npy_order::c, npy_order::fortran}) {
    save_npy(folder / "x.npy", x, order);
    auto const y = load_npy<T, X::rank>(folder / "x.npy");
    REQUIRE(y.shape() == x.shape());
    auto const left = x.read(), right = y.read();
    for (std::size_t i = 0; i != x.size(); ++i) REQUIRE(left[i] == right[i]);
    npy_info const info = read_npy_info(folder / "x.npy");
    CHECK(info.element == element_name<T>());
    CHECK(info.item_bytes == sizeof(T));
    CHECK(info.shape.size() == X::rank);
    CHECK(info.data_offset % 64 == 0);
    CHECK(folder.read("x.npy").size() == info.data_offset + x.size() * sizeof(T));
  }
}
template <class T, class X> tensor<T, X> numbered(X const& shape) {
  if constexpr (std::is_same_v<T, bool>) return iota(shape, 0) % 3 == 1;
  else return cast<T>(iota(shape, 0) % 101);
}
template <class T> void check_ranks() {
  check_round_trip(numbered<T>(shape()));
  check_round_trip(numbered<T>(shape(7)));
  check_round_trip(numbered<T>(shape(3, 5)));
  check_round_trip(numbered<T>(shape(2, 3, 4)));
  check_round_trip(numbered<T>(shape(3, 1, 2, 5)));
  check_round_trip(numbered<T>(shape(70, 3, 65)));
  check_round_trip(numbered<T>(shape(0)));
  check_round_trip(numbered<T>(shape(4, 0, 3)));
}

}  // namespace

TEST_CASE("arrays of each type, rank and order are read back as they were written") {
  check_ranks<bool>();
  check_ranks<signed char>();
  check_ranks<unsigned char>();
  check_ranks<short>();
  check_ranks<unsigned short>();
  check_ranks<unsigned long>();
  check_ranks<int>();
  check_ranks<unsigned>();
  check_ranks<long>();
  check_ranks<long long>();
  check_ranks<float16>();
  check_ranks<float>();
  check_ranks<double>();
}

TEST_CASE("a file has the bytes that NumPy writes") {
  temporary_folder const folder;
  save_npy(folder / "x.npy", matrix<int>{{1, 2}, {3, 4}}, npy_order::fortran);
  std::string const dictionary =
      "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2), }" + std::string(59, ' ') + "\n";
  std::string elements(16, '\0');
  elements[0] = 1, elements[4] = 3, elements[8] = 2, elements[12] = 4;
  CHECK(folder.read("x.npy") == npy_of(dictionary, elements));
  save_npy(folder / "x.npy", tensor<bool, dextents<1>>(constant(true, shape(3))));
  CHECK(folder.read("x.npy").find("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }  ") ==
        10);
  save_npy(folder / "x.npy", tensor<double, dextents<0>>(2.));
  CHECK(folder.read("x.npy").find("'shape': (), }  ") != std::string::npos);
}

TEST_CASE("the bytes of files that NumPy wrote are read, and written again") {
  temporary_folder const folder;
  using namespace std::string_literals;
  // np.save of np.array([[1, 2], [3, 4]], 'f4'), also with order 'F' and 'f8', and of bools.
  std::string const c_floats =
      "\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, "
      "'shape': (2, 2), }"s +
      std::string(58, ' ') + "\n\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40"s;
  std::string const fortran_doubles =
      "\x93NUMPY\x01\0v\0{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }"s +
      std::string(59, ' ') +
      "\n\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x08\x40\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\x10\x40"s;
  std::string const bools =
      "\x93NUMPY\x01\0v\0{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }"s +
      std::string(60, ' ') + "\n\x01\0\x01"s;
  // np.lib.format.write_array with version (2, 0).
  std::string const version2 =
      "\x93NUMPY\x02\0t\0\0\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }"s +
      std::string(58, ' ') + "\n\0\0\xc0\x3f"s;
  folder.write("c.npy", c_floats);
  folder.write("f.npy", fortran_doubles);
  folder.write("b.npy", bools);
  folder.write("2.npy", version2);
  auto const floats = load_npy<float, 2>(folder / "c.npy");
  auto const doubles = load_npy<double, 2>(folder / "f.npy");
  auto const flags = load_npy<bool, 1>(folder / "b.npy");
  CHECK(to_string(floats) == "[[1 2]\n [3 4]]");
  CHECK(to_string(doubles) == "[[1 2]\n [3 4]]");
  CHECK(to_string(flags) == "[True False True]");
  CHECK(to_string(load_npy<float, 1>(folder / "2.npy")) == "[1.5]");
  CHECK(read_npy_info(folder / "2.npy").version == 2);
  CHECK(read_npy_info(folder / "2.npy").data_offset == 128);
  save_npy(folder / "x.npy", floats);
  CHECK(folder.read("x.npy") == c_floats);
  save_npy(folder / "x.npy", doubles, npy_order::fortran);
  CHECK(folder.read("x.npy") == fortran_doubles);
  save_npy(folder / "x.npy", flags);
  CHECK(folder.read("x.npy") == bools);
}

TEST_CASE("views, expressions and inline tensors are saved by their values") {
  temporary_folder const folder;
  matrix<float> x = iota(shape(4, 6), 0.f);
  auto const saved = [&](auto const& e) {
    save_npy(folder / "x.npy", e, npy_order::fortran);
    return to_string(load_npy<float, 2>(folder / "x.npy"));
  };
  CHECK(saved(transpose(x)) == to_string(matrix<float>(transpose(x))));
  auto const part = slice(x, range{1, 3}, range{0, 6, 2});
  CHECK(saved(part) == "[[6 8 10]\n [12 14 16]]");
  CHECK(saved(reverse(part, axis<1>)) == "[[10 8 6]\n [16 14 12]]");
  CHECK(saved(slice(view(x), range{0, 2}, range{0, 2})) == "[[0 1]\n [6 7]]");
  CHECK(saved(view(x)) == to_string(x));
  CHECK(saved(slice(x, range{0, 1}) * 2.f + 1.f) == "[[1 3 5 7 9 11]]");
  tensor<float, extents<1, 2>, dev<kind::cpu, 0>> const small{{3.f, 4.f}};
  CHECK(saved(small) == "[[3 4]]");
}

TEST_CASE("a loaded tensor is on the device that the scope names") {
  temporary_folder const folder;
  save_npy(folder / "x.npy", vector<float>{1.f, 2.f});
  CHECK(load_npy<float, 1>(folder / "x.npy").where() == gpu0);
  {
    with_device const scope("/gpu:1");
    vector<float> const x = load_npy<float, 1>(folder / "x.npy");
    CHECK(x.where() == gpu1);
    CHECK(to_string(x) == "[1 2]");
  }
  with_device const scope("/cpu:0");
  std::size_t const copies = all_copies().copies;
  CHECK(load_npy<float, 1>(folder / "x.npy").where() == cpu0);
  CHECK(all_copies().copies == copies);
}

TEST_CASE("saving a tensor of a GPU makes one copy, which the log shows") {
  temporary_folder const folder;
  vector<float> const x = copy_to("/gpu:1", vector<float>{1.f, 2.f, 3.f});
  std::size_t const copies = copies_between(gpu1, cpu0).copies;
  log_lines log;
  set_log_level(log_level::copies);
  save_npy(folder / "x.npy", x, npy_order::c, {"save.cpp", 3});
  CHECK(copies_between(gpu1, cpu0).copies == copies + 1);
  CHECK(log.take_all() == lines_of{"placement: copy of 12 B from /GPU:1 to /CPU:0 at save.cpp:3"});
  with_device const scope("/cpu:0");
  CHECK(to_string(load_npy<float, 1>(folder / "x.npy")) == "[1 2 3]");
}

TEST_CASE("swapped elements, other versions and other spellings are read") {
  temporary_folder const folder;
  auto const loaded = [&](std::string const& bytes) {
    folder.write("x.npy", bytes);
    return to_string(load_npy<int, 1>(folder / "x.npy"));
  };
  std::string const two("\0\0\1\2\0\0\0\3", 8);
  CHECK(loaded(npy_with("'>i4'", "(2,)", two)) == "[258 3]");
  CHECK(loaded(npy_with("'<i4'", "(2,)", {"\2\1\0\0\3\0\0\0", 8})) == "[258 3]");
  CHECK(loaded(npy_with("'>i4'", "(2L,)", two, "True")) == "[258 3]");
  CHECK(loaded(npy_of("{\"shape\":(2,),'fortran_order':False,\n'descr':\">i4\"}", two + "more")) ==
        "[258 3]");
  std::string const dictionary = "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }\n";
  for (char version : {'\2', '\3'}) {
    std::string bytes("\x93NUMPY", 6);
    bytes += {version, '\0', static_cast<char>(dictionary.size()), '\0', '\0', '\0'};
    CHECK(loaded(bytes + dictionary + two) == "[258 3]");
    CHECK(read_npy_info(folder / "x.npy").version == version);
  }
}

TEST_CASE("an array of another type or rank is an error that states what the file has") {
  temporary_folder const folder;
  save_npy(folder / "x.npy", matrix<int>{{1, 2, 3}}, npy_order::fortran);
  auto const message = [&](auto call) { return folder.without_path(error_message(call)); };
  auto const path = folder / "x.npy";
  CHECK(
      message([&] { load_npy<float, 2>(path, {"a.cpp", 7}); }) ==
      "placement: 'x.npy' holds '<i4' (int32) [1, 3], C order, not float. Write load_npy<int, 2>. "
      "In load_npy at a.cpp:7.");
  CHECK(message([&] { load_npy<int, 1>(path, {"a.cpp", 7}); }) ==
        "placement: 'x.npy' holds '<i4' (int32) [1, 3], C order, not a tensor of rank 1. Write "
        "load_npy<int, 2>. In load_npy at a.cpp:7.");
  CHECK(
      message([&] { load_npy<int, extents<1, 2>>(path, {"a.cpp", 7}); }) ==
      "placement: a tensor of shape [1, 3] does not fit a type that says extent 1 is 2. In load_npy "
      "at a.cpp:7.");
  CHECK(to_string(load_npy<int, extents<1, 3>>(path)) == "[[1 2 3]]");
  CHECK_THROWS_AS((load_npy<float, 2>(path)), invalid_argument);
  CHECK_THROWS_AS((load_npy<int, 1>(path)), shape_error);
}

TEST_CASE("dtypes that placement does not have are shown, and named when they are loaded") {
  temporary_folder const folder;
  for (std::string const descr :
       {"|O", "<i16", ">u16", "<c32", "<U5", "<M8[ns]", "|V2", "<f16", "|S0", ""}) {
    folder.write("x.npy", npy_with("'" + descr + "'", "(3, 4)"));
    npy_info const info = read_npy_info(folder / "x.npy");
    CHECK(info.dtype == descr);
    CHECK(info.element.empty());
    CHECK(info.shape == std::vector<index_t>{3, 4});
    CHECK(
        folder.without_path(error_message<invalid_argument>(
            [&] { load_npy<float, 2>(folder / "x.npy", {"a.cpp", 7}); })) ==
        "placement: 'x.npy' holds '" + descr +
            "' [3, 4], C order, which is no element type of placement. Convert it in NumPy, as with "
            "x.astype('float32'). In load_npy at a.cpp:7.");
  }
  std::string const structured = "[('a', '<f4'), ('b', [('c', '|O')], (2, 3))]";
  folder.write("x.npy", npy_with(structured, "(3,)", "", "True"));
  CHECK(read_npy_info(folder / "x.npy").dtype == structured);
  CHECK(error_message([&] { load_npy<float, 1>(folder / "x.npy"); }).find("[(\\'a\\', \\'<f4") !=
        std::string::npos);
}

TEST_CASE("a malformed header is an error that names the byte") {
  CHECK(why_malformed("") ==
        malformed(0, "this is no file of NumPy, which begin with '\\x93NUMPY'"));
  CHECK(why_malformed("\x93NUMPX\x01") ==
        malformed(5, "this is no file of NumPy, which begin with '\\x93NUMPY'"));
  CHECK(why_malformed({"\x93NUMPY\x04\x00\x00\x00", 10}) ==
        malformed(6, "version 4.0 is unknown; 1.0, 2.0 and 3.0 are read"));
  CHECK(why_malformed({"\x93NUMPY\x02\x00\xff\xff\xff\xff", 12}) ==
        malformed(8, "a header of 4294967295 bytes, more than 1048576"));
  CHECK(why_malformed({"\x93NUMPY\x01\x00\xff\xff", 10}) ==
        malformed(10, "it ends in its header of 65535 bytes"));
  auto const dictionary = [](std::string const& text) { return why_malformed(npy_of(text)); };
  CHECK(dictionary("x") == malformed(10, "expected '{', but 'x' is there"));
  CHECK(dictionary("{}") ==
        malformed(12, "expected the key 'descr' before the end, but the header ends"));
  CHECK(dictionary("{'descr': '<f4', 'descr': '<f4'}") ==
        malformed(27, "expected each key once, but '\\'' is there"));
  CHECK(
      dictionary("{'extra': 1}") ==
      malformed(
          11, "expected one of the keys 'descr', 'fortran_order' and 'shape', but '\\'' is there"));
  CHECK(dictionary("{'descr' '<f4'}") == malformed(19, "expected ':', but '\\'' is there"));
  CHECK(dictionary("{'descr': 4}") ==
        malformed(20, "expected a dtype such as '<f4', but '4' is there"));
  CHECK(dictionary("{'descr': '|f4'}") ==
        malformed(20, "expected a byte order, '<' or '>', but '\\'' is there"));
  CHECK(dictionary("{'descr': '<f4") ==
        malformed(24, "expected more of the dictionary, but the header ends"));
  CHECK(dictionary("{'descr': 'a\\n'}") ==
        malformed(22, "expected a string without escapes, but '\\\\' is there"));
  CHECK(dictionary("{'fortran_order': 0}") ==
        malformed(28, "expected True or False, but '0' is there"));
  CHECK(dictionary("{'descr': [(']', '<f4')]] }") ==
        malformed(34, "expected '}', but ']' is there"));
  CHECK(dictionary("{'descr': [('a', '<f4']") == malformed(32, "expected ')', but ']' is there"));
  CHECK(dictionary("{'descr': " + std::string(100, '[')) ==
        malformed(52, "expected at most 32 brackets inside one another, but '[' is there"));
  auto const shaped = [&](std::string const& shape) {
    return dictionary("{'shape': " + shape + "}");
  };
  CHECK(shaped("3") == malformed(20, "expected '(', but '3' is there"));
  CHECK(shaped("(3)") == malformed(22, "expected ',', but ')' is there"));
  CHECK(shaped("(-3,)") == malformed(21, "expected an extent, at least 0, but '-' is there"));
  CHECK(shaped("(3,,)") == malformed(23, "expected an extent, at least 0, but ',' is there"));
  CHECK(shaped("(3.5,)") == malformed(22, "expected ',', but '.' is there"));
  CHECK(shaped("(3, 4 5)") == malformed(26, "expected ',' or ')', but '5' is there"));
  CHECK(shaped("(1, 9223372036854775808,)") ==
        malformed(24, "expected an extent below 2^63, but '9' is there"));
  std::string many = "(";
  for (int i = 0; i != 65; ++i) many += "1,";
  CHECK(shaped(many + ")") ==
        malformed(149, "expected at most 64 extents, as in NumPy, but '1' is there"));
  CHECK(dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x") ==
        malformed(66, "expected nothing after the dictionary, but 'x' is there"));
}

TEST_CASE("sizes near 2^63 are an error, and arrays without elements have none") {
  CHECK(why_malformed(npy_with("'<f4'", "(2305843009213693952,)")) ==
        "placement: 'x.npy' is malformed: its shape [2305843009213693952] has 2^63 bytes or more. "
        "Write it again, as with numpy.save.");
  CHECK(why_malformed(npy_with("'<f4'", "(2305843009213693951,)")) ==
        malformed(86,
                  "it ends in its elements, which need 9223372036854775804 bytes from byte 86 on"));
  temporary_folder const folder;
  folder.write("x.npy", npy_with("'<f4'", "(9223372036854775807, 9223372036854775807)"));
  CHECK_THROWS_AS((load_npy<float, 2>(folder / "x.npy")), file_error);
  for (std::string const shape : {"(9223372036854775807, 0, 9223372036854775807)",
                                  "(0, 4611686018427387904, 4611686018427387904)"}) {
    folder.write("x.npy", npy_with("'<f4'", shape));
    CHECK(error_message<file_error>([&] {
            load_npy<float, 3>(folder / "x.npy");
          }).ends_with("has 2^63 bytes or more. Write it again, as with numpy.save."));
  }
  folder.write("x.npy", npy_with("'<f4'", "(2305843009213693951, 0)"));
  CHECK(load_npy<float, 2>(folder / "x.npy").size() == 0);
}

TEST_CASE("a bool that is neither 0 nor 1 is an error") {
  temporary_folder const folder;
  folder.write("x.npy", npy_with("'|b1'", "(3,)", {"\0\1\2", 3}));
  CHECK(folder.without_path(error_message([&] { load_npy<bool, 1>(folder / "x.npy"); })) ==
        malformed(70, "a bool is 0 or 1, not 2"));
}

TEST_CASE("a file that ends at any byte is an error") {
  temporary_folder const folder;
  save_npy(folder / "x.npy", matrix<float>{{1.f, 2.f}, {3.f, 4.f}}, npy_order::fortran);
  std::string const whole = folder.read("x.npy");
  for (std::size_t bytes = 0; bytes != whole.size(); ++bytes) {
    folder.write("y.npy", whole.substr(0, bytes));
    INFO("cut at byte " << bytes);
    CHECK_THROWS_AS((load_npy<float, 2>(folder / "y.npy")), file_error);
  }
  folder.write("y.npy", whole);
  CHECK(to_string(load_npy<float, 2>(folder / "y.npy")) == "[[1 2]\n [3 4]]");
}

TEST_CASE("paths that are no files are errors, and leak no descriptor") {
  temporary_folder const folder;
  int const before = ::dup(0);
  ::close(before);
  CHECK(
      folder.without_path(error_message<file_error>([&] { read_npy_info(folder / "none.npy"); })) ==
      "placement: 'none.npy' cannot be opened: No such file or directory. Check the path and its "
      "permissions.");
  CHECK_THROWS_AS((load_npy<float, 1>(folder.path())), file_error);
  CHECK_THROWS_AS((load_npy<float, 1>("")), file_error);
  CHECK_THROWS_AS((load_npy<float, 1>(folder / std::string("x\0y", 3))), file_error);
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK_THROWS_AS((load_npy<float, 1>(folder / "fifo")), file_error);
  vector<float> const x{1.f};
  CHECK_THROWS_AS(save_npy(folder / "fifo", x), file_error);
  CHECK_THROWS_AS(save_npy(folder.path(), x), file_error);
  CHECK_THROWS_AS(save_npy("", x), file_error);
  CHECK(folder.without_path(error_message<file_error>([&] { save_npy(folder / "no/x.npy", x); })) ==
        "placement: 'no/x.npy' cannot be written: No such file or directory. Check that its folder "
        "exists and can be written to.");
  folder.write("bad.npy", "no array");
  CHECK_THROWS_AS((load_npy<float, 1>(folder / "bad.npy")), file_error);
  int const after = ::dup(0);
  ::close(after);
  CHECK(after == before);
}

TEST_CASE("a file that cannot be written whole leaves the old one and nothing else") {
  temporary_folder const folder;
  save_npy(folder / "x.npy", vector<float>{1.f, 2.f});
  std::string const old = folder.read("x.npy");
  // Files of this process may grow to 4 KiB, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  rlim_t const whole = std::exchange(limit.rlim_cur, 4096);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::string const message = folder.without_path(
      error_message<file_error>([&] { save_npy(folder / "x.npy", constant(1.f, shape(2000))); }));
  limit.rlim_cur = whole;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(
      message ==
      "placement: 'x.npy' cannot be written: File too large. Free space or choose another folder; "
      "the file there is unchanged.");
  CHECK(folder.read("x.npy") == old);
  CHECK(folder.count() == 1);
}

TEST_CASE("a file is replaced at once, and keeps its permissions and links") {
  temporary_folder const folder;
  save_npy(folder / "x.npy", vector<float>{1.f});
  REQUIRE(::chmod((folder / "x.npy").c_str(), 0640) == 0);
  REQUIRE(::symlink("x.npy", (folder / "link.npy").c_str()) == 0);
  detail::input_file const reader(folder / "x.npy");
  save_npy(folder / "link.npy", vector<float>{2.f, 3.f});
  CHECK(to_string(load_npy<float, 1>(folder / "x.npy")) == "[2 3]");
  CHECK(detail::read_npy_info(detail::source_of(reader)).shape == std::vector<index_t>{1});
  struct stat s{};
  REQUIRE(::lstat((folder / "x.npy").c_str(), &s) == 0);
  CHECK((s.st_mode & 07777) == 0640);
  REQUIRE(::lstat((folder / "link.npy").c_str(), &s) == 0);
  CHECK(S_ISLNK(s.st_mode));
  CHECK(folder.count() == 2);
}
