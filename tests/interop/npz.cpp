// NumPy's archives of named arrays: written, read back, malformed, replaced.
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <placement/interop/npz.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

using namespace placement;

namespace {

using names_of = std::vector<std::string>;

/// An archive of two small arrays, "x" and "y".
std::string small_archive(std::uint64_t limit = detail::zip::max32) {
  temporary_folder const folder;
  detail::zip_writer zip(folder / "a.npz", limit);
  for (std::string const name : {"x", "y"}) {
    vector<int> const t{name == "x" ? 1 : 3, 2};
    auto const elements = t.read();
    detail::npy_image const image = detail::npy_image_of(elements, npy_order::c);
    zip.add(name + ".npy", image.header, image.data, image.bytes);
  }
  zip.finish();
  return folder.read("a.npz");
}
std::string elements_of(npz_file const& file, std::string const& name) {
  return to_string(file.load<int, 1>(name));
}

/// The message for an archive of these bytes: of opening it, or of loading "x".
std::string why_malformed(std::string const& bytes) {
  temporary_folder const folder;
  folder.write("a.npz", bytes);
  return folder.without_path(error_message<file_error>([&] {
    npz_file const file(folder / "a.npz");
    file.load<int, 1>("x");
  }));
}
std::string malformed(std::string const& name, std::size_t byte, std::string const& what) {
  return "placement: " + name + " is malformed at byte " + std::to_string(byte) + ": " + what +
         ". Write it again, as with numpy.save.";
}
std::string with_bytes(std::string bytes, std::size_t at, std::string const& replaced) {
  return bytes.replace(at, replaced.size(), replaced);
}

/// The bytes at which the parts of small_archive() begin.
struct parts_of {
  std::size_t entry, end;
  explicit parts_of(std::string const& archive)
      : entry(archive.find("PK\1\2")), end(archive.rfind("PK\5\6")) {}
};

}  // namespace

TEST_CASE("named arrays are read back as they were written") {
  temporary_folder const folder;
  matrix<float> const w = iota(shape(3, 4), 0.f);
  {
    npz_writer out(folder / "a.npz");
    out.add("w", w);
    out.add("transposed", transpose(w), npy_order::fortran);
    out.add("flags", w > 3.f);
    out.add("none", tensor<double, dextents<2>>(zeros<double>(shape(0, 3))));
    out.add("folder/\xc3\xa9", tensor<int, dextents<0>>(7));
    out.close();
  }
  npz_file const in(folder / "a.npz");
  CHECK(in.names() == names_of{"w", "transposed", "flags", "none", "folder/\xc3\xa9"});
  CHECK(in.contains("w"));
  CHECK(!in.contains("w.npy"));
  CHECK(to_string(in.load<float, 2>("w")) == to_string(w));
  CHECK(to_string(in.load<float, extents<4, 3>>("transposed")) ==
        to_string(matrix<float>(transpose(w))));
  CHECK(to_string(in.load<bool, 2>("flags")) == to_string(tensor<bool, dextents<2>>(w > 3.f)));
  CHECK(in.load<double, 2>("none").shape() == shape(0, 3));
  CHECK(item(in.load<int, 0>("folder/\xc3\xa9")) == 7);
  CHECK(to_string(in.info("transposed")) == "'<f4' (float) [4, 3], Fortran order");
  CHECK(folder.count() == 1);
}

TEST_CASE("a loaded array is on the device that the scope names") {
  temporary_folder const folder;
  folder.write("a.npz", small_archive());
  npz_file const in(folder / "a.npz");
  CHECK(in.load<int, 1>("x").where() == gpu0);
  with_device const scope("/gpu:1");
  vector<int> const x = in.load<int, 1>("x");
  CHECK(x.where() == gpu1);
  log_lines log;
  set_log_level(log_level::copies);
  npz_writer out(folder / "b.npz");
  out.add("x", x, npy_order::c, {"save.cpp", 3});
  CHECK(log.take_all() == lines_of{"placement: copy of 8 B from /GPU:1 to /CPU:0 at save.cpp:3"});
}

TEST_CASE("an unknown name, another type and another rank are errors") {
  temporary_folder const folder;
  folder.write("a.npz", small_archive());
  npz_file const in(folder / "a.npz");
  auto const message = [&](auto call) { return folder.without_path(error_message(call)); };
  CHECK(message([&] { in.info("z"); }) ==
        "placement: 'a.npz' has no array 'z'; it has 'x', 'y'. names() lists them.");
  CHECK(
      message([&] { in.load<float, 1>("y", {"a.cpp", 7}); }) ==
      "placement: 'y' in 'a.npz' holds '<i4' (int32) [2], C order, not float. Write load<int, 1>. "
      "In npz_file::load at a.cpp:7.");
  CHECK_THROWS_AS((in.load<float, 1>("y")), invalid_argument);
  CHECK_THROWS_AS((in.load<int, 2>("y")), shape_error);
  CHECK_THROWS_AS((in.load<int, 2>("z")), invalid_argument);
  CHECK_THROWS_AS((in.load<int, extents<3>>("y")), shape_error);
}

TEST_CASE("names that cannot be written are errors, and the archive stays usable") {
  temporary_folder const folder;
  npz_writer out(folder / "a.npz");
  vector<int> const x{1, 2};
  out.add("x", x);
  CHECK(error_message<invalid_argument>([&] { out.add("x", x); }) ==
        "placement: the archive has an array 'x'. Write each name once.");
  CHECK(error_message<invalid_argument>([&] { out.add("", x); }) ==
        "placement: '' is no name of an array. Names are UTF-8, and have 1 to 65531 bytes, none of "
        "them null.");
  CHECK_THROWS_AS(out.add(std::string("a\0b", 3), x), invalid_argument);
  CHECK_THROWS_AS(out.add(std::string(65532, 'a'), x), invalid_argument);
  out.add(std::string(65531, 'a'), x);
  out.close();
  CHECK(error_message<invalid_argument>([&] { out.close(); }) ==
        "placement: this npz_writer was closed. Make another one.");
  CHECK_THROWS_AS(out.add("y", x), invalid_argument);
  npz_file const in(folder / "a.npz");
  CHECK(in.names().size() == 2);
  CHECK(elements_of(in, std::string(65531, 'a')) == "[1 2]");
}

TEST_CASE("names that are not UTF-8 are errors, since Python could not read the archive") {
  temporary_folder const folder;
  npz_writer out(folder / "a.npz");
  vector<int> const x{1, 2};
  auto const refused = {"\xff",
                        "a\x80",
                        "\xc3",
                        "\xc3(",
                        "\xc1\xbf",
                        "\xe0\x9f\xbf",
                        "\xed\xa0\x80",
                        "\xef\xbf",
                        "\xf0\x8f\xbf\xbf",
                        "\xf4\x90\x80\x80",
                        "\xf5\x80\x80\x80"};
  for (std::string const name : refused)
    CHECK(error_message<invalid_argument>([&] { out.add(name, x); }).find("Names are UTF-8") !=
          std::string::npos);
  names_of const taken = {"a\x7f",        "\xc2\x80",         "\xdf\xbf",
                          "\xe0\xa0\x80", "\xed\x9f\xbf",     "\xee\x80\x80",
                          "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
  for (std::string const& name : taken) out.add(name, x);
  out.close();
  CHECK(npz_file(folder / "a.npz").names() == taken);
}

TEST_CASE("an archive that is not closed changes no file") {
  temporary_folder const folder;
  folder.write("a.npz", "old");
  {
    npz_writer out(folder / "a.npz");
    out.add("x", vector<int>{1});
  }
  CHECK(folder.read("a.npz") == "old");
  CHECK(folder.count() == 1);
  CHECK_THROWS_AS(npz_writer(folder / "no/a.npz"), file_error);
}

TEST_CASE("an array for which the disk is too small is an error, and the archive stays usable") {
  temporary_folder const folder;
  npz_writer out(folder / "a.npz");
  out.add("x", vector<int>{1, 2});
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = 4096;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK_THROWS_AS(out.add("large", constant(1.f, shape(2000))), file_error);
  out.add("nearly", constant(1.f, shape(910)));
  CHECK_THROWS_AS(out.close(), file_error);
  CHECK(folder.count() == 1);  // the temporary file
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  out.add("y", vector<int>{3, 4});
  out.close();
  npz_file const in(folder / "a.npz");
  CHECK(in.names() == names_of{"x", "nearly", "y"});
  CHECK(elements_of(in, "x") == "[1 2]");
  CHECK(in.load<float, 1>("nearly").size() == 910);
  CHECK(elements_of(in, "y") == "[3 4]");
}

TEST_CASE("numbers of an archive that are too large for 32 bits are in ZIP64 records") {
  temporary_folder const folder;
  for (std::uint64_t const limit : {0u, 1u, 100u, 300u}) {
    folder.write("a.npz", small_archive(limit));
    npz_file const in(folder / "a.npz");
    CHECK(elements_of(in, "x") == "[1 2]");
    CHECK(elements_of(in, "y") == "[3 2]");
  }
  CHECK(small_archive(0).find("PK\6\6") != std::string::npos);
  CHECK(small_archive().find("PK\6\6") == std::string::npos);
}

TEST_CASE("an array behind 5 GiB is written and read") {
  temporary_folder const folder;
  detail::zip_writer zip(folder / "a.npz");
  auto const elements = vector<int>{5, 6}.read();
  detail::npy_image const image = detail::npy_image_of(elements, npy_order::c);
  zip.add("x.npy", image.header, image.data, image.bytes);
  zip.file().skip(std::uint64_t{5} << 30);  // a hole of the file
  zip.add("y.npy", image.header, image.data, image.bytes);
  zip.finish();
  npz_file const in(folder / "a.npz");
  CHECK(elements_of(in, "x") == "[5 6]");
  CHECK(elements_of(in, "y") == "[5 6]");
}

TEST_CASE("70000 arrays are in one archive") {
  temporary_folder const folder;
  detail::zip_writer zip(folder / "a.npz");
  auto const elements = tensor<int, dextents<0>>(8).read();
  detail::npy_image const image = detail::npy_image_of(elements, npy_order::c);
  for (int i = 0; i != 70000; ++i)
    zip.add(std::to_string(i) + ".npy", image.header, image.data, image.bytes);
  zip.finish();
  npz_file const in(folder / "a.npz");
  CHECK(in.names().size() == 70000);
  CHECK(item(in.load<int, 0>("69999")) == 8);
}

TEST_CASE("an archive that ends at any byte is an error") {
  for (std::uint64_t const limit : {std::uint64_t{0}, detail::zip::max32}) {
    std::string const whole = small_archive(limit);
    for (std::size_t bytes = 0; bytes != whole.size(); ++bytes) {
      INFO("cut at byte " << bytes);
      CHECK(why_malformed(whole.substr(0, bytes)) != "");
    }
  }
}

TEST_CASE("an archive with a changed byte is an error or has the same elements") {
  temporary_folder const folder;
  for (std::uint64_t const limit : {std::uint64_t{0}, detail::zip::max32}) {
    std::string const whole = small_archive(limit);
    for (std::size_t at = 0; at != whole.size(); ++at)
      for (int const change : {1, 0x80, 0xff}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ change);
        folder.write("a.npz", bytes);
        try {
          npz_file const in(folder / "a.npz");
          if (elements_of(in, "x") != "[1 2]") FAIL_CHECK("changed at byte " << at);
        } catch (error const&) {}
      }
  }
}

TEST_CASE("a malformed archive is an error that names the byte") {
  std::string const whole = small_archive();
  parts_of const at(whole);
  std::string const name = "'a.npz'", x = "'x' in 'a.npz'";
  CHECK(why_malformed("no archive") ==
        malformed(name, 10, "this is no ZIP archive such as .npz, whose directory ends here"));
  CHECK(why_malformed(whole + "more") ==
        malformed(name, whole.size() + 4,
                  "this is no ZIP archive such as .npz, whose directory ends here"));
  CHECK(why_malformed(with_bytes(whole, at.end + 4, "\1")) ==
        malformed(name, at.end, "it is one of several parts of an archive"));
  CHECK(why_malformed(with_bytes(whole, at.end + 10, "\xff\x7f")) ==
        malformed(name, at.end, "32767 entries need more than the 102 bytes of its directory"));
  CHECK(
      why_malformed(with_bytes(whole, at.end + 16, "\xff\xff\xff\xff")) ==
      malformed(name, at.end,
                "its directory of 102 bytes from byte 4294967295 on is not before its end record"));
  CHECK(why_malformed(with_bytes(whole, at.entry, "x")) ==
        malformed(name, at.entry, "no entry of the directory is there"));
  CHECK(why_malformed(with_bytes(whole, at.entry + 28, "\xff\xff")) ==
        malformed(name, at.entry, "the directory ends in this entry"));
  CHECK(why_malformed(with_bytes(whole, at.entry + 42, "\xff\xff\xff\x7f")) ==
        malformed(name, at.entry, "the data of 'x.npy' are not before the directory"));
  CHECK(why_malformed(with_bytes(whole, at.entry + 42, "\1")) ==
        malformed(name, 1, "no header of an entry is there"));
  CHECK(why_malformed(with_bytes(whole, 30, "z")) ==
        malformed(name, 0, "the header of 'x.npy' differs from the directory"));
  CHECK(why_malformed(with_bytes(whole, 28, "\xff\xff")) ==
        malformed(name, 0, "the data of 'x.npy' reach into the directory"));
  CHECK(why_malformed(with_bytes(whole, 64, "x")) ==
        malformed(x, 0, "its checksum (CRC-32) differs, in the archive's entry there"));
  CHECK(why_malformed(with_bytes(with_bytes(whole, at.entry + 46, "y"), 30, "y")) ==
        "placement: 'a.npz' has two arrays 'y'. Write each name once.");
  std::string const stored_twice = with_bytes(whole, at.entry + 24, "\1");
  CHECK(why_malformed(stored_twice) ==
        malformed(x, 0, "it is stored, but has two sizes, in the archive's entry there"));
}

TEST_CASE("an entry whose data end in the directory is an error") {
  temporary_folder const folder;
  std::string bytes = small_archive();
  std::size_t const header = bytes.find("PK\3\4", 4);
  ++bytes[header + 28];  // the size of its extra field
  folder.write("a.npz", bytes);
  npz_file const in(folder / "a.npz");
  CHECK(folder.without_path(error_message<file_error>([&] { in.load<int, 1>("y"); })) ==
        malformed("'a.npz'", header, "the data of 'y.npy' reach into the directory"));
  CHECK(elements_of(in, "x") == "[1 2]");
}

TEST_CASE("entries that cannot be read are errors that say why") {
  std::string const whole = small_archive();
  parts_of const at(whole);
  auto const both = [&](std::size_t in_header, std::string const& text) {
    return why_malformed(
        with_bytes(with_bytes(whole, in_header, text), at.entry + in_header + 2, text));
  };
  CHECK(
      both(6, "\1") ==
      "placement: 'x' in 'a.npz' is encrypted. Write it without a password, as with numpy.savez.");
  CHECK(both(8, "\x0c") ==
        "placement: 'x' in 'a.npz' is compressed by method 12 of ZIP; methods 0 (stored) and 8 "
        "(deflated) are read. Write it with numpy.savez.");
  CHECK(
      both(8, "\x08") ==
      "placement: 'x' in 'a.npz' is compressed, and this program has no zlib. Write it with "
      "numpy.savez, or include <placement/interop/npz_zlib.hpp> in one file of the program itself and link placement::zlib.");
}

TEST_CASE("the header of a stored array is read without its elements") {
  temporary_folder const folder;
  npz_writer out(folder / "a.npz");
  out.add("x", constant(1.f, shape(1000)));
  out.close();
  std::string bytes = folder.read("a.npz");
  bytes[1000] ^= 1;  // the checksum differs
  folder.write("a.npz", bytes);
  npz_file const in(folder / "a.npz");
  CHECK(in.info("x").shape == std::vector<index_t>{1000});
  CHECK_THROWS_AS((in.load<float, 1>("x")), file_error);
}

TEST_CASE("an entry that is no array is an error when it is loaded") {
  temporary_folder const folder;
  detail::zip_writer zip(folder / "a.npz");
  zip.add("readme.txt", "text", nullptr, 0);
  zip.add("empty.npy", "", nullptr, 0);
  zip.finish();
  npz_file const in(folder / "a.npz");
  CHECK(in.names() == names_of{"readme.txt", "empty"});
  for (std::string const& name : in.names()) {
    CHECK_THROWS_AS(in.info(name), file_error);
    CHECK_THROWS_AS((in.load<int, 1>(name)), file_error);
  }
}

TEST_CASE("a checksum is that of CRC-32, in parts and whole") {
  std::string const text = "123456789";
  auto const* const data = reinterpret_cast<unsigned char const*>(text.data());
  CHECK(detail::crc32(0, data, 9) == 0xcbf43926u);
  for (std::size_t cut = 0; cut != 10; ++cut)
    CHECK(detail::crc32(detail::crc32(0, data, cut), data + cut, 9 - cut) == 0xcbf43926u);
}
