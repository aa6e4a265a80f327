// Parsing of the environment variables. Their effects are tested in tests/process.
#include <placement/device/environment.hpp>
#include <placement/src/device/environment.ipp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using namespace placement;

namespace {

/// The environment parsed with one variable set to this text.
environment with(variable v, std::string const& text) {
  environment_texts texts;
  texts.of[static_cast<std::size_t>(v)] = text;
  return read_environment(texts);
}

std::string message_of(variable v, std::string const& text) {
  try {
    (void)with(v, text);
  } catch (invalid_argument const& e) { return e.what(); }
  return {};
}

}  // namespace

TEST_CASE("the variables are a fixed list") {
  std::string names;
  for (std::size_t i = 0; i != variable_count; ++i)
    names += std::string(name_of(static_cast<variable>(i))) + ' ';
  CHECK(names ==
        "CUDA_VISIBLE_DEVICES TF_FORCE_GPU_ALLOW_GROWTH PLACEMENT_SIMULATED_GPUS "
        "PLACEMENT_SIMULATED_GPU_MEMORY PLACEMENT_SIMULATED_GPU_HELD PLACEMENT_LOG "
        "PLACEMENT_LOG_FORMAT PLACEMENT_SOFT_PLACEMENT PLACEMENT_TRANSFERS "
        "PLACEMENT_INTRA_OP_THREADS PLACEMENT_INTER_OP_THREADS PLACEMENT_CPU_LEVEL PLACEMENT_TRACE "
        "PLACEMENT_SIMULATED_TASKS PLACEMENT_TASKS_CHECK PLACEMENT_TASKS_LIMIT "
        "PLACEMENT_TASKS_PATIENCE PLACEMENT_JOBS TF_CONFIG ");
}

TEST_CASE("a variable that is not set or empty requests nothing") {
  environment const none = read_environment({});
  CHECK_FALSE(none.cuda_visible_devices.has_value());
  CHECK_FALSE(none.simulated_gpus.has_value());
  for (std::size_t i = 1; i != variable_count; ++i)
    CHECK_NOTHROW(with(static_cast<variable>(i), ""));
  CHECK_FALSE(with(variable::log, "").log.has_value());
  CHECK(with(variable::cuda_visible_devices, "").cuda_visible_devices == "");
}

TEST_CASE("words and switches are parsed") {
  CHECK(with(variable::log, "off").log == 0);
  CHECK(with(variable::log, "fallback").log == 1);
  CHECK(with(variable::log, "copies").log == 2);
  CHECK(with(variable::log, "all").log == 3);
  CHECK(with(variable::cpu_level, "baseline").cpu_level == 0);
  CHECK(with(variable::cpu_level, "x86-64-v3").cpu_level == 1);
  CHECK(with(variable::cpu_level, "x86-64-v4").cpu_level == 2);
  CHECK(with(variable::trace, "run.json").trace == "run.json");
  CHECK_FALSE(with(variable::trace, "").trace.has_value());
  CHECK(with(variable::log_format, "native").log_format == 0);
  CHECK(with(variable::log_format, "tf2").log_format == 1);
  CHECK(with(variable::log_format, "tf1").log_format == 2);
  CHECK(with(variable::log_format, "tf1_graph").log_format == 3);
  CHECK(with(variable::transfers, "silent").transfers == 0);
  CHECK(with(variable::transfers, "warn").transfers == 1);
  CHECK(with(variable::transfers, "refuse").transfers == 2);
  CHECK(with(variable::transfers, "explicit").transfers == 2);  // the word in TensorFlow
  CHECK(with(variable::soft_placement, "0").soft_placement == false);
  CHECK(with(variable::soft_placement, "true").soft_placement == true);
  CHECK(with(variable::force_gpu_allow_growth, "true").force_gpu_allow_growth == true);
  CHECK(with(variable::force_gpu_allow_growth, "false").force_gpu_allow_growth == false);
}

TEST_CASE("the variables of tasks are parsed") {
  CHECK(with(variable::simulated_tasks, "1").simulated_tasks == 1);
  CHECK(with(variable::simulated_tasks, "64").simulated_tasks == 64);
  for (char const* text : {"0", "65", "-1", "4x", "1.5"})
    CHECK(message_of(variable::simulated_tasks, text).find("a number from 1 to 64") !=
          std::string::npos);
  CHECK(with(variable::tasks_check, "statements").tasks_check == 0);
  CHECK(with(variable::tasks_check, "values").tasks_check == 1);
  CHECK(with(variable::tasks_limit, "0").tasks_limit == 0.);
  CHECK(with(variable::tasks_limit, "0.5").tasks_limit == 0.5);
  CHECK(with(variable::tasks_limit, "1000000").tasks_limit == 1e6);
  CHECK(with(variable::tasks_patience, "2.25").tasks_patience == 2.25);
  for (char const* text : {"0", "0.001", "-1", ".", "1.", ".5", "1e3", "1000001", "0.1234567"})
    CHECK_FALSE(message_of(variable::tasks_patience, text).empty());
  CHECK(with(variable::jobs, "ps:1").jobs == "ps:1");
  CHECK(with(variable::tf_config, "{}").tf_config == "{}");
}

TEST_CASE("numbers are accepted within their bounds") {
  CHECK(with(variable::simulated_gpus, "0").simulated_gpus == 0);
  CHECK(with(variable::simulated_gpus, "64").simulated_gpus == 64);
  CHECK(with(variable::intra_op_threads, "4096").intra_op_threads == 4096);
  CHECK(with(variable::inter_op_threads, "0").inter_op_threads == 0);
}

TEST_CASE("sizes are parsed with and without a unit") {
  CHECK(detail::read_bytes("0") == std::size_t{0});
  CHECK(detail::read_bytes("1073741824") == std::size_t{1} << 30);
  CHECK(detail::read_bytes("3KiB") == std::size_t{3} << 10);
  CHECK(detail::read_bytes("512MiB") == std::size_t{512} << 20);
  CHECK(detail::read_bytes("1GiB") == std::size_t{1} << 30);
  CHECK(detail::read_bytes("2TiB") == std::size_t{2} << 40);
  CHECK(detail::read_bytes("18446744073709551614") == ~std::size_t{0} - 1);
  CHECK(detail::read_bytes("16777215TiB") == std::size_t{16777215} << 40);
  for (auto text :
       {"", "MiB", "1 GiB", "1GB", "1gib", "-1", "+1", "1.5GiB", "0x10", "1GiBGiB",
        "18446744073709551615", "18446744073709551616", "16777216TiB", "99999999999999999999GiB"}) {
    INFO(text);
    CHECK_FALSE(detail::read_bytes(text).has_value());
  }
  CHECK(with(variable::simulated_gpu_memory, "1GiB").simulated_gpu_memory == std::size_t{1} << 30);
}

TEST_CASE("the memory that others hold of simulated GPUs is one size, or one per GPU") {
  using sizes = std::vector<std::size_t>;
  CHECK(with(variable::simulated_gpu_held, "0").simulated_gpu_held == sizes{0});
  CHECK(with(variable::simulated_gpu_held, "0,5,1GiB").simulated_gpu_held ==
        sizes{0, 5, std::size_t{1} << 30});
  for (auto text : {",", "1,", ",1", "1,,2", "1;2", "1, 2", "1,x"}) {
    INFO(text);
    CHECK_THROWS_AS(with(variable::simulated_gpu_held, text), invalid_argument);
  }
}

TEST_CASE("the error for a malformed variable has its name, its text and the accepted values") {
  struct row {
    variable which;
    std::string text, message;
  };
  for (auto const& [which, text, message] : {
           row{variable::force_gpu_allow_growth, "yes",
               "The environment variable TF_FORCE_GPU_ALLOW_GROWTH is 'yes'; it must be true or "
               "false"},
           row{variable::simulated_gpus, "65",
               "The environment variable PLACEMENT_SIMULATED_GPUS is '65'; it must be a number "
               "from 0 to 64"},
           row{variable::simulated_gpu_memory, "0",
               "The environment variable PLACEMENT_SIMULATED_GPU_MEMORY is '0'; it must be a size "
               "above 0 such as 512MiB, 1GiB or 1073741824"},
           row{variable::simulated_gpu_held, "1GB",
               "The environment variable PLACEMENT_SIMULATED_GPU_HELD is '1GB'; it must be a size "
               "such as 512MiB, 1GiB or 0, or one for each GPU, separated by commas"},
           row{variable::log, "verbose",
               "The environment variable PLACEMENT_LOG is 'verbose'; it must be off, fallback, "
               "copies or all"},
           row{variable::log_format, "json",
               "The environment variable PLACEMENT_LOG_FORMAT is 'json'; it must be native, tf2, "
               "tf1 or tf1_graph"},
           row{variable::soft_placement, "2",
               "The environment variable PLACEMENT_SOFT_PLACEMENT is '2'; it must be 1 or 0, true "
               "or false"},
           row{variable::transfers, "loud",
               "The environment variable PLACEMENT_TRANSFERS is 'loud'; it must be silent, warn or "
               "refuse"},
           row{variable::intra_op_threads, "-1",
               "The environment variable PLACEMENT_INTRA_OP_THREADS is '-1'; it must be a number "
               "from 0 (as many as help) to 4096"},
           row{variable::inter_op_threads, "4294967296",
               "The environment variable PLACEMENT_INTER_OP_THREADS is '4294967296'; it must be a "
               "number from 0 (as many as help) to 4096"},
           row{variable::cpu_level, "avx2",
               "The environment variable PLACEMENT_CPU_LEVEL is 'avx2'; it must be baseline, "
               "x86-64-v3 or x86-64-v4"},
           row{variable::log, "a\nb",
               "The environment variable PLACEMENT_LOG is 'a\\nb'; it must be off, fallback, "
               "copies or all"},
       })
    CHECK(message_of(which, text) == message);
}

TEST_CASE("CUDA_VISIBLE_DEVICES is never malformed") {
  for (auto text : {"", "x", "-1", ",,,", "\xff\xfe", "99999999999999999999999"})
    CHECK_NOTHROW(with(variable::cuda_visible_devices, text));
}
