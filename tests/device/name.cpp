// Device names at run time: the same table as tests/compile/name_table.cpp, and the messages.
#include <support/name_table.hpp>

#include <placement/device/names.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

using namespace placement;

namespace {

/// The error message of a call. Empty if the call succeeds.
template <class Call> std::string error_message(Call call) {
  try {
    (void)call();
  } catch (invalid_argument const& e) { return e.what(); }
  return {};
}

std::string message_of(std::string_view text) {
  return error_message([text] { return parse_name(text); });
}

/// The canonical form of a merge, or `refused` if the merge fails.
template <class Merge> std::string merged(Merge merge, name_merge const& m) {
  try {
    return to_string(merge(parse_name(m.a), parse_name(m.b)));
  } catch (invalid_argument const&) { return std::string(refused); }
}

}  // namespace

TEST_CASE("each valid name prints in its canonical form") {
  for (auto const& [text, canonical] : valid_names) {
    INFO(text);
    CHECK(to_string(parse_name(text)) == canonical);
    CHECK(to_string(parse_name(canonical)) == canonical);
  }
}

TEST_CASE("the error for an invalid name gives its column") {
  for (auto const& [text, column] : invalid_names) {
    INFO(text);
    CHECK(read_name(text).column == column);
    CHECK(read_name(text).name.is_empty());
    CHECK_THROWS_AS(parse_name(text), invalid_argument);
  }
}

TEST_CASE("the local form has a type and an index and no slash") {
  for (auto const& [text, canonical] : valid_local_names) {
    INFO(text);
    CHECK(to_string(parse_local_name(text)) == canonical);
  }
  for (auto const& [text, column] : invalid_local_names) {
    INFO(text);
    CHECK(read_local_name(text).column == column);
    CHECK_THROWS_AS(parse_local_name(text), invalid_argument);
  }
}

TEST_CASE("the error for an invalid name marks the column and says what was expected there") {
  CHECK(message_of("/gpu:1x") ==
        "'/gpu:1x' is not a device name: at column 7 expected '/' or the end of the name\n"
        "  /gpu:1x\n"
        "        ^");
  CHECK(message_of("gpu:0") ==
        "'gpu:0' is not a device name: at column 1 expected '/' before the first part, as in "
        "/GPU:0\n"
        "  gpu:0\n"
        "  ^");
  CHECK(message_of("/gpu:4294967296") ==
        "'/gpu:4294967296' is not a device name: at column 6 expected a decimal number of at most "
        "2147483647, or '*'\n"
        "  /gpu:4294967296\n"
        "       ^");
  CHECK(message_of("/foo:1") ==
        "'/foo:1' is not a device name: at column 2 expected one of job: replica: task: device: "
        "cpu: gpu:\n"
        "  /foo:1\n"
        "   ^");
  CHECK(message_of("/gpu:0/cpu:0") ==
        "'/gpu:0/cpu:0' is not a device name: at column 7 expected only one device\n"
        "  /gpu:0/cpu:0\n"
        "        ^");
  CHECK(message_of("/device:*:2") ==
        "'/device:*:2' is not a device name: at column 10 expected no index, because the type is "
        "'*'\n"
        "  /device:*:2\n"
        "           ^");
}

TEST_CASE("each kind of mistake has a message that says what was expected") {
  struct row {
    std::string_view text, expected;
  };
  for (auto const& [text, expected] : {
           row{"/job:1w", "a job (a letter, then letters, digits or '_'), or '*'"},
           row{"/device:", "a device type (a letter, then letters, digits or '_'), or '*'"},
           row{"/task:x", "a decimal number of at most 2147483647, or '*'"},
           row{"/job:a/job:b", "only one job"},
           row{"/replica:1/replica:2", "only one replica"},
           row{"/task:1/task:2", "only one task"},
           row{"/device:CPU/device:CPU", "only one device"},
       }) {
    INFO(text);
    CHECK(read_name(text).expected == expected);
  }
  CHECK(read_local_name("GPU").expected == "':' and an index, as in GPU:0");
  CHECK(read_local_name("").expected == "a device type, as in GPU:0");
  CHECK(read_local_name("GPU:x").expected == "a decimal index of at most 2147483647");
  CHECK(read_local_name("GPU:1/").expected == "the end of the name");
}

TEST_CASE(
    "a message shows control and non-ASCII characters escaped, and the mark stays below them") {
  CHECK(message_of("\n/gp\\u'\x7f") ==
        "'\\n/gp\\\\u\\'\\x7f' is not a device name: at column 1 expected '/' before the first "
        "part, as in /GPU:0\n"
        "  \\n/gp\\\\u\\'\\x7f\n"
        "  ^");
  CHECK(message_of("/job:w\xc3\xb6\t\r") ==
        "'/job:w\\xc3\\xb6\\t\\r' is not a device name: at column 7 expected '/' or the end of the "
        "name\n"
        "  /job:w\\xc3\\xb6\\t\\r\n"
        "        ^");
}

TEST_CASE("a message shows the part of a long name around the mistake") {
  std::string const text = "/job:" + std::string(100, 'a') + "-" + std::string(100, 'b');
  CHECK(message_of(text) == "'/job:" + std::string(55, 'a') +
                                "...' (206 characters) is not a device name: at column 106 "
                                "expected '/' or the end of the name\n"
                                "  ..." +
                                std::string(30, 'a') + "-" + std::string(29, 'b') + "...\n" +
                                std::string(35, ' ') + "^");
}

TEST_CASE("a name has at most 4096 characters") {
  std::string const longest = "/job:" + std::string(4091, 'a');
  CHECK(to_string(parse_name(longest)) == longest);
  CHECK(read_name(longest + "a").column == 4097);
  CHECK(read_name(longest + "a").expected == "the end of the name: it has at most 4096 characters");
  // The canonical form has the same limit, so that it can be parsed again.
  auto const of_size = [](std::string_view end, std::size_t size) {
    return "/job:" + std::string(size - 5 - end.size(), 'j') + std::string(end);
  };
  for (std::string_view const end : {"/cpu:0", "/gpu:*", "/device:x"}) {
    INFO(end);
    std::string const grown = of_size(end, 4096);
    name_reading const reading = read_name(grown);
    CHECK(reading.column == 4097);
    CHECK(reading.expected == "a shorter name: the canonical form has at most 4096 characters");
    std::string const short_enough = of_size(end, 4089);
    CHECK(to_string(parse_name(short_enough)).size() <= 4096);
    std::string const printed = to_string(parse_name(short_enough));
    CHECK(to_string(parse_name(printed)) == printed);
  }
  CHECK(read_local_name(std::string(4094, 'x') + ":1").column == 4097);
  std::string const shrinks = of_size("/gpu:0000000000000000000007", 4096);
  CHECK(to_string(parse_name(shrinks)).size() == 4096 - 21 + 7);
  CHECK(read_local_name(std::string(4095, 'a') + ":1").column == 4097);
  CHECK(message_of(longest + "a").size() < 400);
}

TEST_CASE("a name can be parsed in a constant expression") {
  constexpr device_name name = parse_name("/job:worker/task:1/gpu:2");
  CHECK(name.job == "worker");
  CHECK_FALSE(name.has_replica());
  CHECK(name.task == 1);
  CHECK(name.type == "GPU");
  CHECK(name.index == 2);
}

TEST_CASE("specification, compatibility and address space follow the table") {
  for (auto const& r : name_relations) {
    INFO(r.a << " and " << r.b);
    device_name const a = parse_name(r.a), b = parse_name(r.b);
    CHECK(is_specification(a, b) == r.a_specifies_b);
    CHECK(is_compatible(a, b) == r.compatible);
    CHECK(is_compatible(b, a) == r.compatible);
    CHECK(same_address_space(a, b) == r.same_space);
  }
}

TEST_CASE("merges and nesting follow the table") {
  for (auto const& m : name_merges) {
    INFO(m.a << " and " << m.b);
    CHECK(merged(merge_strict, m) == m.strict);
    CHECK(merged(merge_soft, m) == m.soft);
    CHECK(merged(merge_override, m) == m.other_wins);
    CHECK(merged(merge_unset, m) == m.unset_only);
    CHECK(merged([](auto const& a, auto const& b) { return nest(a, b); }, m) == m.nested);
  }
}

TEST_CASE("the error for a failed merge names the part and both names") {
  auto const message = [](std::string_view a, std::string_view b) {
    return error_message([a, b] { return merge_strict(parse_name(a), parse_name(b)); });
  };
  CHECK(message("/job:a", "/job:b/gpu:0") ==
        "Cannot merge devices with incompatible jobs: '/job:a' and '/job:b/device:GPU:0'");
  CHECK(message("/replica:1", "/replica:2") ==
        "Cannot merge devices with incompatible replicas: '/replica:1' and '/replica:2'");
  CHECK(message("/task:1", "/task:2") ==
        "Cannot merge devices with incompatible tasks: '/task:1' and '/task:2'");
  CHECK(message("/gpu:1", "/cpu:1") ==
        "Cannot merge devices with incompatible types: '/device:GPU:1' and '/device:CPU:1'");
  CHECK(message("/gpu:1", "/gpu:2") ==
        "Cannot merge devices with incompatible ids: '/device:GPU:1' and '/device:GPU:2'");
}

TEST_CASE("a device_name built by hand prints its parts unchanged, also numbers below zero") {
  CHECK(to_string(device_name{"", -5, -1, "", -1}) == "/replica:-5");
  CHECK(to_string(device_name{"", -1, -2, "GPU", -2147483647 - 1}) ==
        "/task:-2/device:GPU:-2147483648");
  CHECK(read_name("/replica:-5").column == 10);
}
