// IDX files: read, truncated, hostile.
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <placement/interop/idx.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace placement;

namespace {

std::string big_endian(std::uint64_t x, int bytes) {
  std::string text;
  for (int i = bytes; i-- != 0;) text += static_cast<char>(x >> (8 * i) & 255);
  return text;
}
/// A file with this type, these extents and elements.
std::string idx_of(int type, std::vector<std::uint32_t> const& extents,
                   std::string const& elements) {
  std::string text(2, '\0');
  text += static_cast<char>(type);
  text += static_cast<char>(extents.size());
  for (std::uint32_t n : extents) text += big_endian(n, 4);
  return text + elements;
}
template <class T, std::size_t R> std::string text_of(std::string const& bytes) {
  temporary_folder const folder;
  folder.write("x", bytes);
  return to_string(load_idx<T, R>(folder / "x"));
}
/// What load_idx<std::uint8_t, 2> of these bytes throws.
template <class E = file_error> std::string why(std::string const& bytes) {
  temporary_folder const folder;
  folder.write("x", bytes);
  return folder.without_path(
      error_message<E>([&] { (void)load_idx<std::uint8_t, 2>(folder / "x"); }));
}
std::string malformed(int byte, std::string const& what) {
  return "placement: 'x' is malformed at byte " + std::to_string(byte) + ": " + what +
         ". Give a whole IDX file, which is not compressed.";
}

}  // namespace

TEST_CASE("arrays of each element type are read, most significant byte first") {
  CHECK(text_of<std::uint8_t, 2>(idx_of(8, {2, 3}, "\x01\x02\x03\x04\x05\xFF")) ==
        "[[1 2 3]\n [4 5 255]]");
  CHECK(text_of<std::int8_t, 1>(idx_of(9, {2}, "\x01\xFF")) == "[1 -1]");
  CHECK(text_of<int, 1>(idx_of(12, {2}, big_endian(258, 4) + big_endian(0xFFFFFFFE, 4))) ==
        "[258 -2]");
  CHECK(text_of<float, 1>(idx_of(13, {1}, big_endian(0x3FC00000, 4))) == "[1.5]");
  CHECK(text_of<double, 1>(idx_of(14, {1}, big_endian(0xC004000000000000, 8))) == "[-2.5]");
  CHECK(text_of<std::uint8_t, 0>(idx_of(8, {}, "\x07")) == "7");
  CHECK(text_of<std::uint8_t, 3>(idx_of(8, {1, 1, 2}, "ab")) == "[[[97 98]]]");
}

TEST_CASE("arrays without elements are read, also with extents whose product overflows") {
  temporary_folder const folder;
  folder.write("x", idx_of(14, {0xFFFFFFFF, 0xFFFFFFFF, 0}, ""));
  CHECK(load_idx<double, 3>(folder / "x").size() == 0);
}

TEST_CASE("the header alone is read by read_idx_info") {
  temporary_folder const folder;
  folder.write("x", idx_of(11, {3, 1}, "abcdef"));
  idx_info const info = read_idx_info(folder / "x");
  CHECK(info.element == "int16");
  CHECK(info.shape == std::vector<index_t>{3, 1});
  CHECK(info.item_bytes == 2);
  CHECK(info.data_offset == 12);
}

TEST_CASE("a file that ends too early is an error with its last byte") {
  std::string const whole = idx_of(8, {2, 3}, "abcdef");
  for (int size = 0; size != static_cast<int>(whole.size()); ++size) {
    std::string const what =
        size < 4    ? "the file ends in its first 4 bytes"
        : size < 12 ? "the file ends in its header of 12 bytes"
                    : "the file ends in its elements, which begin at byte 12 with the shape [2, 3]";
    CHECK(why(whole.substr(0, static_cast<std::size_t>(size))) == malformed(size, what));
  }
  CHECK(why(whole).empty());
}

TEST_CASE("a header that is wrong is an error with the byte") {
  CHECK(why("\x1F\x8B\x08\x00 gzip") == malformed(0, "this is gzip data"));
  CHECK(why("P5 2 3") == malformed(0, "the first two bytes are 0, not 80"));
  CHECK(why(std::string("\0a\x08\x01", 4)) == malformed(1, "the first two bytes are 0, not 97"));
  CHECK(why(idx_of(10, {1, 1}, "a")) == malformed(2, "there is no element type 10"));
  std::string nine = idx_of(8, {1}, "");
  nine[3] = 9;
  CHECK(why(nine + std::string(40, '\1')) ==
        malformed(3, "a rank of 9; tensors have at most 8 dimensions"));
  CHECK(why(idx_of(8, {2, 3}, "abcdefgh")) == malformed(18, "2 bytes follow the elements"));
}

TEST_CASE("a header that asks for more than the file has allocates nothing") {
  std::string const what =
      "the file ends in its elements, which begin at byte 12 with the shape [4294967295, "
      "4294967295]";
  CHECK(why(idx_of(8, {0xFFFFFFFF, 0xFFFFFFFF}, "abc")) == malformed(15, what));
  temporary_folder const folder;
  folder.write("x", idx_of(14, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "abc"));
  CHECK(!error_message<file_error>([&] { (void)load_idx<double, 4>(folder / "x"); }).empty());
}

TEST_CASE("another element type or rank is an error that says what the file holds") {
  CHECK(why<invalid_argument>(idx_of(13, {1, 2}, "abcdefgh"))
            .starts_with("placement: 'x' holds float of shape [1, 2], not uint8. Load what it "
                         "holds, then cast or reshape it."));
  CHECK(why<invalid_argument>(idx_of(11, {1, 2}, "abcd"))
            .starts_with("placement: 'x' holds int16 of shape [1, 2], not uint8. Convert it: "
                         "tensors have no int16."));
  CHECK(why<shape_error>(idx_of(8, {2}, "ab"))
            .starts_with("placement: 'x' holds uint8 of shape [2], not a tensor of rank 2."));
}

TEST_CASE("a file that is missing or a folder is an error with its path") {
  temporary_folder const folder;
  CHECK(folder.without_path(error_message<file_error>([&] {
    (void)load_idx<float, 1>(folder / "none");
  })) == "placement: 'none' cannot be opened: No such file or directory. Check the path and its "
         "permissions.");
  CHECK_THROWS_AS((load_idx<float, 1>(folder.path())), file_error);
}

TEST_CASE("an array is placed by the scope") {
  temporary_folder const folder;
  folder.write("x", idx_of(8, {2}, "ab"));
  with_device const scope("/gpu:1");
  CHECK(load_idx<std::uint8_t, 1>(folder / "x").where() == device{kind::gpu, 1});
}

TEST_CASE("the real digits have 28 x 28 pixels and labels below 10") {
  char const* const folder = std::getenv("PLACEMENT_MNIST_DIR");
  if (folder == nullptr) SKIP("PLACEMENT_MNIST_DIR names no folder with the real digits");
  temporary_folder const copies;
  std::string const images = copies / "images", labels = copies / "labels";
  auto const unpack = [&](char const* name, std::string const& to) {
    std::string const from = std::string(folder) + "/" + name;
    return std::system(("cp '" + from + "' '" + to + "' 2>/dev/null || gzip -dc '" + from +
                        ".gz' > '" + to + "' 2>/dev/null")
                           .c_str()) == 0;
  };
  if (!unpack("t10k-images-idx3-ubyte", images) || !unpack("t10k-labels-idx1-ubyte", labels))
    SKIP("PLACEMENT_MNIST_DIR has no t10k files");
  tensor const x = load_idx<std::uint8_t, 3>(images);
  tensor const y = load_idx<std::uint8_t, 1>(labels);
  CHECK(x.shape() == shape(10'000, 28, 28));
  CHECK(y.shape() == shape(10'000));
  CHECK(item(max(y)) == 9);
  CHECK(y.read()[0] == 7);  // the first digit of the test set
}
