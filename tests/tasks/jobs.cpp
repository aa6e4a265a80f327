#include <placement/tasks.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("PLACEMENT_JOBS is a list of jobs") {
  CHECK(parse_jobs("ps:1,worker:3") == std::vector<job>{{"ps", 1}, {"worker", 3}});
  CHECK(parse_jobs("worker:16384").size() == 1);
  for (char const* text :
       {"", "worker", "worker:", "worker:0", "worker:-1", "worker:16385", "a:1,a:2", "localhost:1",
        "1a:1", "a b:1", "a:9999999999999999999999", "a:1,", ":3"})
    CHECK_THROWS_AS(parse_jobs(text), invalid_argument);
  CHECK_THROWS_WITH(parse_jobs("worker"), ContainsSubstring("Give jobs such as ps:1,worker:3"));
}

TEST_CASE("TF_CONFIG gives names and the own task") {
  tf_config const found = parse_tf_config(
      R"({"cluster": {"chief": ["host0:1"], "worker": ["h1:1", "h2:1"]}, "task": {"type": "worker", "index": 1},
          "environment": "cloud", "rpc_layer": ["grpc", {"x": [1, -2.5e3, true, null]}]})");
  CHECK(found.jobs == std::vector<job>{{"chief", 1}, {"worker", 2}});
  CHECK(found.own_task == 2);
  CHECK(parse_tf_config(R"({"cluster":{"worker":["a:1"]},"task":{"type":"worker","index":"0"}})")
            .own_task == 0);
  CHECK(parse_tf_config(R"({"cluster":{"worker":["a:1"]}})").own_task == -1);
  std::string const deep(100000, '[');
  for (std::string const& text :
       {std::string(), std::string("{"), std::string("[]"), std::string(R"({"cluster":{}})"),
        std::string(R"({"cluster":{"worker":[1]}})"), std::string(R"({"cluster":{"worker":[]}})"),
        std::string(R"({"cluster":{"worker":["a"]},"task":{"type":"ps","index":0}})"),
        std::string(R"({"cluster":{"worker":["a"]},"task":{"type":"worker","index":1}})"),
        std::string(R"({"cluster":{"worker":["a\"]}})"), R"({"x":)" + deep})
    CHECK_THROWS_AS(parse_tf_config(text), invalid_argument);
}
