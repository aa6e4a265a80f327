// Compressed archives of NumPy.
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <placement/interop/npz.hpp>
#include <placement/interop/npz_zlib.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>

using namespace placement;

namespace {

/// A raw deflate stream of these bytes, in which a block begins after each 64 bytes.
std::string deflated_in_blocks(std::string bytes) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(2 * bytes.size() + 4096, '\0');
  z.next_in = reinterpret_cast<Bytef*>(bytes.data());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  for (std::size_t left = bytes.size(); left != 0;) {
    z.avail_in = static_cast<uInt>(std::min<std::size_t>(left, 64));
    left -= z.avail_in;
    REQUIRE(deflate(&z, Z_SYNC_FLUSH) == Z_OK);
  }
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

/// A raw deflate stream of these bytes.
std::string deflated(std::string const& bytes, int level = 6) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&z, bytes.size()), '\0');
  std::string in = bytes;
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string npy_of(tensor<int, dextents<1>> const& x) {
  auto const elements = x.read();
  detail::npy_image const image = detail::npy_image_of(elements, npy_order::c);
  return image.header + std::string(static_cast<char const*>(image.data), image.bytes);
}

/// An archive with the entry "x" of these compressed data. `size`, `crc`: those of the array.
std::string archive_of(std::string const& data, std::uint64_t size, std::uint32_t crc) {
  temporary_folder const folder;
  detail::zip_writer zip(folder / "a.npz");
  zip.add("x.npy", data, nullptr, 0);
  zip.finish();
  std::string bytes = folder.read("a.npz");
  std::size_t const entry = bytes.find("PK\1\2");
  std::string fields;
  detail::append_little_endian(fields, crc, 4);
  detail::append_little_endian(fields, data.size(), 4);
  detail::append_little_endian(fields, size, 4);
  bytes.replace(entry + 16, 12, fields);
  bytes[8] = bytes[entry + 10] = detail::zip::deflated;
  return bytes;
}
std::string archive_of(std::string const& array, std::string const& data) {
  return archive_of(
      data, array.size(),
      detail::crc32(0, reinterpret_cast<unsigned char const*>(array.data()), array.size()));
}

/// The elements of "x", or the message of the error.
std::string loaded(std::string const& archive) {
  temporary_folder const folder;
  folder.write("a.npz", archive);
  std::string text;
  std::string const message = error_message<file_error>([&] {
    npz_file const in(folder / "a.npz");
    text = in.info("x").element == "int32" ? "" : "another type";
    text += to_string(in.load<int, 1>("x"));
  });
  return folder.without_path(message) + text;
}
std::string malformed(std::string const& what) {
  return "placement: 'x' in 'a.npz' is malformed at byte 0: " + what +
         ", in the archive's entry there. Write it again, as with numpy.save.";
}

}  // namespace

TEST_CASE("a compressed array is read, at each level of compression") {
  std::string const array = npy_of(iota(5, 1));
  for (int level = 0; level != 10; ++level)
    CHECK(loaded(archive_of(array, deflated(array, level))) == "[1 2 3 4 5]");
}

TEST_CASE("an array of many megabytes is decompressed, and its header without the elements") {
  temporary_folder const folder;
  std::string const array = npy_of(iota(1 << 21, 0) * 2654435);
  folder.write("a.npz", archive_of(array, deflated(array, 1)));
  npz_file const in(folder / "a.npz");
  CHECK(in.info("x").shape == std::vector<index_t>{1 << 21});
  auto const x = in.load<int, 1>("x").read();
  CHECK(x[0] == 0);
  CHECK(x[1000000] == static_cast<int>(2654435000000));
}

TEST_CASE("the header of an array in many compressed blocks is read") {
  temporary_folder const folder;
  // A header with random texts of 64 KiB does not compress; its blocks need more bytes than it has.
  std::string names;
  for (unsigned i = 0, x = 1; i != 65536; ++i) {
    x = x * 1664525 + 1013904223;
    names += static_cast<char>('a' + (x >> 24) % 26);
  }
  std::string const dictionary =
      "{'descr': [('" + names + "', '<f4')], 'fortran_order': False, 'shape': (300000,)}\n";
  std::string array("\x93NUMPY\x02\x00", 8);
  detail::append_little_endian(array, dictionary.size(), 4);
  array += dictionary + std::string(1200000, '\1');
  folder.write("a.npz", archive_of(array, deflated_in_blocks(array)));
  npz_file const in(folder / "a.npz");
  CHECK(in.info("x").shape == std::vector<index_t>{300000});
  std::string const large = npy_of(iota(1 << 19, 0) * 2654435);
  folder.write("b.npz", archive_of(large, deflated_in_blocks(large)));
  CHECK(npz_file(folder / "b.npz").info("x").shape == std::vector<index_t>{1 << 19});
  CHECK(npz_file(folder / "b.npz").load<int, 1>("x").size() == 1 << 19);
}

TEST_CASE("compressed data that are invalid are an error") {
  std::string const array = npy_of(iota(5, 1)), data = deflated(array);
  CHECK(loaded(archive_of(array, data.substr(0, data.size() - 1))) ==
        malformed("its compressed data are invalid after 148 bytes"));
  CHECK(loaded(archive_of(array, "\x07" + data)) ==
        malformed("its compressed data are invalid after 0 bytes"));
  CHECK(loaded(archive_of(array + "longer", data)) ==
        malformed("its compressed data are invalid after 148 bytes"));
  CHECK(loaded(archive_of(array.substr(0, 147), data)) ==
        malformed("its compressed data are invalid after 147 bytes"));
  CHECK(loaded(archive_of(data, array.size(), 7)) == malformed("its checksum (CRC-32) differs"));
}

TEST_CASE("an array that claims more bytes than compression allows allocates nothing") {
  std::string const array = npy_of(iota(5, 1)), data = deflated(array);
  CHECK(loaded(archive_of(data, 0xfffffffe, 0)) ==
        malformed(std::to_string(data.size()) + " bytes cannot decompress to 4294967294"));
}

TEST_CASE("compressed data that end at any byte, or have a changed byte, are an error") {
  std::string const array = npy_of(iota(9, 1)), data = deflated(array);
  std::string const expected = loaded(archive_of(array, data));
  CHECK(expected.starts_with("[1 2 3"));
  for (std::size_t bytes = 0; bytes != data.size(); ++bytes)
    CHECK(loaded(archive_of(array, data.substr(0, bytes))).starts_with("placement: "));
  for (std::size_t at = 0; at != data.size(); ++at) {
    std::string changed = data;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    std::string const result = loaded(archive_of(array, changed));
    INFO("changed at byte " << at << ": " << result);
    CHECK((result.starts_with("placement: ") || result == expected));
  }
}
