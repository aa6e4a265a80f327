// gpus: 0
// The strict reader of gzip-compressed IDX files that the training example uses.
#include <mnist_towers/digits.hpp>

#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace {

using bytes = std::vector<std::uint8_t>;

bytes gzip(bytes const& text) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  bytes out(deflateBound(&z, text.size()));
  z.next_in = const_cast<std::uint8_t*>(text.data());
  z.avail_in = static_cast<unsigned>(text.size());
  z.next_out = out.data();
  z.avail_out = static_cast<unsigned>(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

/// An uncompressed IDX file whose elements count up from 0.
bytes file_of(std::vector<std::uint32_t> const& extents) {
  bytes text{0, 0, 8, static_cast<std::uint8_t>(extents.size())};
  std::size_t count = 1;
  for (std::uint32_t n : extents) {
    for (int shift : {24, 16, 8, 0}) text.push_back(static_cast<std::uint8_t>(n >> shift));
    count *= n;
  }
  for (std::size_t i = 0; i != count; ++i) text.push_back(static_cast<std::uint8_t>(i));
  return text;
}

std::string refused(bytes const& file, std::size_t rank) {
  return error_message<idx::error>([&] { idx::parse("f.gz", file, rank); });
}

/// A folder with the two files of the digits. The destructor deletes it.
struct digit_files {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("placement_idx_test_" + std::to_string(getpid()));

  digit_files(bytes const& images, bytes const& labels) {
    std::filesystem::create_directory(folder);
    write("t10k-images-idx3-ubyte.gz", images);
    write("t10k-labels-idx1-ubyte.gz", labels);
  }
  ~digit_files() { std::filesystem::remove_all(folder); }
  digit_files(digit_files const&) = delete;
  digit_files& operator=(digit_files const&) = delete;

  void write(char const* name, bytes const& content) const {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<char const*>(content.data()),
               static_cast<std::streamsize>(content.size()));
  }
  std::string refused() const {
    return error_message<idx::error>([&] { mnist::read_digits(folder.string()); });
  }
};

bool ends_with(std::string const& text, std::string const& end) { return text.ends_with(end); }

}  // namespace

TEST_CASE("an IDX file is read with its extents and elements") {
  idx::array const a = idx::parse("f.gz", gzip(file_of({2, 3, 2})), 3);
  CHECK(a.extents == std::vector<std::size_t>{2, 3, 2});
  CHECK(a.elements == bytes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("an IDX file larger than one step of the reader is read completely") {
  bytes const text = file_of({3000, 1000});
  idx::array const a = idx::parse("f.gz", gzip(text), 2);
  CHECK(a.elements == bytes(text.begin() + 12, text.end()));
}

TEST_CASE("a compressed IDX file truncated at any byte is an error") {
  bytes const whole = gzip(file_of({5}));
  for (std::size_t n = 0; n != whole.size(); ++n) {
    CAPTURE(n);
    CHECK(refused(bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)), 1) ==
          "f.gz: is cut off: the gzip data does not end");
  }
}

TEST_CASE("an uncompressed IDX text truncated at any byte is an error") {
  bytes const whole = file_of({5});
  for (std::size_t n = 0; n != whole.size(); ++n) {
    CAPTURE(n);
    CHECK(refused(gzip(bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))), 1) ==
          "f.gz: ends after " + std::to_string(n) + " bytes, which is too early");
  }
}

TEST_CASE("an IDX file with any flipped bit is an error, or gives the same array") {
  bytes const whole = gzip(file_of({5}));
  bytes const elements{0, 1, 2, 3, 4};
  std::size_t refusals = 0;
  for (std::size_t bit = 0; bit != 8 * whole.size(); ++bit) {
    bytes broken = whole;
    broken[bit / 8] = static_cast<std::uint8_t>(broken[bit / 8] ^ 1u << bit % 8);
    bytes found = elements;
    try {
      found = idx::parse("f.gz", broken, 1).elements;
    } catch (idx::error const&) { ++refusals; }
    CAPTURE(bit);
    CHECK(found == elements);
  }
  // Six header bytes hold the time and the system, and some bits are padding.
  CHECK(refusals >= 8 * (whole.size() - 7));
}

TEST_CASE("data after the elements or after the gzip stream of an IDX file is an error") {
  bytes text = file_of({5});
  bytes file = gzip(text);
  file.push_back(0);
  CHECK(refused(file, 1) == "f.gz: has bytes after the end of the gzip data");
  text.push_back(0);
  CHECK(refused(gzip(text), 1) == "f.gz: has more bytes than its header says");
}

TEST_CASE("an IDX file with another magic number is an error") {
  auto with = [](std::size_t at, std::uint8_t value) {
    bytes text = file_of({5});
    text[at] = value;
    return refused(gzip(text), 1);
  };
  CHECK(with(0, 1) == "f.gz: is no IDX file: its first two bytes are not 0");
  CHECK(with(1, 1) == "f.gz: is no IDX file: its first two bytes are not 0");
  CHECK(with(2, 13) == "f.gz: has elements of IDX type 13, not bytes (8)");
  CHECK(with(3, 3) == "f.gz: has rank 3 where 1 is expected");
}

TEST_CASE("an IDX file with absurd extents is an error before memory is allocated") {
  bytes const header{0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  CHECK(refused(gzip(header), 3) ==
        "f.gz: has a header that asks for more than 1073741824 elements");
  bytes const one_gib{0, 0, 8, 1, 64, 0, 0, 0};
  CHECK(refused(gzip(one_gib), 1) == "f.gz: ends after 8 bytes, which is too early");
  CHECK(refused(gzip({0, 0, 8, 1, 0, 0, 0, 0}), 1) == "f.gz: has an extent of 0");
}

TEST_CASE("an IDX file that is not compressed is an error") {
  CHECK(refused(file_of({5}), 1) == "f.gz: is no sound gzip file: incorrect header check");
}

TEST_CASE("digits are read as rows of pixels from 0 to 1, with their labels") {
  digit_files const files(gzip(file_of({2, 28, 28})), gzip(file_of({2})));
  mnist::digits const d = mnist::read_digits(files.folder.string());
  CHECK(d.size() == 2);
  CHECK(to_string(d.labels) == "[0 1]");
  auto const images = d.images.read();
  CHECK(images(0, 0) == 0.f);
  CHECK(images(0, 255) == 1.f);
  CHECK(images(1, 0) == (784 % 256) / 255.f);
}

TEST_CASE("images and labels that do not match are an error") {
  digit_files const files(gzip(file_of({2, 28, 28})), gzip(file_of({3})));
  CHECK(ends_with(files.refused(), "t10k-labels-idx1-ubyte.gz: has 3 labels for 2 images"));
  files.write("t10k-images-idx3-ubyte.gz", gzip(file_of({2, 28, 27})));
  CHECK(ends_with(files.refused(),
                  "t10k-images-idx3-ubyte.gz: has images of 28 x 27 pixels, not 28 x 28"));
  files.write("t10k-images-idx3-ubyte.gz", gzip(file_of({11, 28, 28})));
  files.write("t10k-labels-idx1-ubyte.gz", gzip(file_of({11})));
  CHECK(ends_with(files.refused(), "t10k-labels-idx1-ubyte.gz: has a label 10"));
}

TEST_CASE("the error for a folder without digits names it") {
  CHECK(error_message<idx::error>([] { mnist::read_digits("/no/such/folder"); }) ==
        "/no/such/folder/t10k-images-idx3-ubyte.gz: cannot be opened");
}
