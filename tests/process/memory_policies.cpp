// gpus: 2
// env: [small] PLACEMENT_SIMULATED_GPU_MEMORY=64MiB
// env: [whole] TF_FORCE_GPU_ALLOW_GROWTH=false
// env: [growth] TF_FORCE_GPU_ALLOW_GROWTH=true
// Memory policies set by a program as types, by TensorFlow's functions, and by the environment.
#include <placement/memory/pools.hpp>
#include <placement/placement.hpp>
#include <placement/runtime/escape.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

template <class Call> std::string error_message(Call call) {
  try {
    call();
  } catch (error const& e) { return e.what(); }
  return {};
}

/// The bytes that a GPU reserves for its first allocation.
std::size_t first_step(device d) {
  pool_of(d).allocate(1);
  return memory_stats_of(d).reserved;
}

}  // namespace

TEST_CASE("without a policy memory grows from 2 MiB up to the total less the reserve") {
  CHECK(first_step(gpu0) == 2 * mib);
  CHECK(memory_stats_of(gpu0).limit == 799 * mib);
}

TEST_CASE("a growth policy applies to every visible GPU, with its steps and its limit") {
  runtime const rt{memory::growth{.start = 1_MiB, .factor = 4} | memory::limit{100_MiB}};
  for (device d : {gpu0, gpu1}) {
    CHECK(first_step(d) == mib);
    pool_of(d).allocate(5 * mib);
    CHECK(memory_stats_of(d).reserved == 16 * mib);
    CHECK(memory_stats_of(d).limit == 100 * mib);
  }
}

TEST_CASE("tensors of 1, 3, 20, 30 MiB under 64 reserve 2, 4, 32, 64, and 10 more fit but not 11") {
  runtime const rt{memory::growth{} | memory::limit{64_MiB}};
  auto of_mib = [](index_t n) { return tensor<float, dextents<1>>(zeros<float>(n << 18)); };
  auto const a = of_mib(1);
  CHECK(memory_stats_of(gpu0).reserved == 2 * mib);
  auto const b = of_mib(3);
  CHECK(memory_stats_of(gpu0).reserved == 4 * mib);
  auto const c = of_mib(20);
  CHECK(memory_stats_of(gpu0).reserved == 32 * mib);
  auto const d = of_mib(30);
  synchronize();  // queued work counts, too
  memory_stats const full = memory_stats_of(gpu0);
  CHECK(full.reserved == 64 * mib);
  CHECK(full.in_use == 54 * mib);
  CHECK_THROWS_AS(of_mib(11), out_of_memory);
  memory_stats refused = full;
  refused.failures = 1;
  CHECK(memory_stats_of(gpu0) == refused);
  auto const e = of_mib(10);
  CHECK(e.where() == gpu0);
  CHECK(memory_stats_of(gpu0).in_use == 64 * mib);
}

TEST_CASE("tensors without elements take no memory and never fail, also on a full GPU") {
  runtime const rt{memory::whole{} | memory::limit{1_MiB}};
  using matrix = tensor<float, dextents<2>>;
  matrix const all = zeros<float>(512, 512);
  CHECK_THROWS_AS(matrix(zeros<float>(1, 1)), out_of_memory);
  synchronize();  // queued work counts, too
  memory_stats const full = memory_stats_of(gpu0);
  matrix none = zeros<float>(0, 5);
  matrix other = copy_to(gpu1, none);
  none = relu(none + 1.f) * other;
  slice(view(none), range{0, 0}) = 1.f;
  CHECK(to_string(none) == "[]");
  CHECK(none.where() == gpu0);
  CHECK(copy_to("/cpu:0", none).where() == cpu0);
  synchronize();
  CHECK(memory_stats_of(gpu0) == full);
  CHECK(memory_stats_of(gpu1).in_use == 0);
  CHECK(pool_of(gpu0).check_invariants());
}

TEST_CASE("the error for a full device gives the op, its line, and its name if it has one") {
  runtime const rt{memory::limit{4_KiB}};
  std::vector<float> const numbers(4096, 1.f);
  tensor<float, dextents<1>> const all = zeros<float>(1024);
  // The op and its line are the text after " B by ", up to the pool's figures or the advice.
  auto const line_of = [](std::string const& text) {
    std::size_t const by = text.find(" B by ");
    std::size_t const end = std::min(text.find(";"), text.find(". Free tensors"));
    return by == text.npos ? text : text.substr(by + 6, end - by - 6);
  };
  std::string const file = __FILE__;
  auto const here = [&](int line) { return " at " + file + ":" + std::to_string(line); };
  auto const vector = [&] { from(numbers); };
  CHECK(line_of(error_message(vector)) == "Const" + here(__LINE__ - 1));
  auto const scalar = [] { tensor<float, extents<>> const x(1.f); };
  CHECK(line_of(error_message(scalar)) == "Const" + here(__LINE__ - 1));
  auto const filled = [] { evaluate(constant(1.f, shape(2, 2))); };
  CHECK(line_of(error_message(filled)) == "Fill" + here(__LINE__ - 1));
  auto const list = [] { evaluate(constant({1.f, 2.f})); };
  CHECK(line_of(error_message(list)) == "Const" + here(__LINE__ - 1));
  auto const rows = [] {
    with_device const scope("/gpu:0");
    tensor<float, dextents<2>> const x{{1.f, 2.f}, {3.f, 4.f}};
  };
  CHECK(line_of(error_message(rows)) == "Const" + here(__LINE__ - 3));
  auto const mine = [&] { evaluate(named("mine", all + 1.f)); };
  CHECK(line_of(error_message(mine)) == "mine (Add)" + here(__LINE__ - 1));
  auto const huge = [] {
    with_device const scope("/cpu:0");
    evaluate(named("huge", zeros<float>(index_t{1} << 50)));
  };
  CHECK(line_of(error_message(huge)) == "huge (Fill)" + here(__LINE__ - 2));
}

#if defined(__clang__) && __clang_major__ < 18  // no template arguments of type double
constexpr memory::fraction quarter{0.25};
#else
constexpr memory::fraction<0.25> quarter{};
#endif

TEST_CASE("a fraction applies to every visible GPU, and growth stays in force") {
  runtime const rt{memory::growth{} | quarter};
  for (device d : {gpu0, gpu1}) {
    CHECK(memory_stats_of(d).limit == 256 * mib);
    CHECK(first_step(d) == 2 * mib);
    CHECK(
        error_message([d] {
          pool_of(d).allocate(256 * mib);
        }).starts_with("placement: out of memory on " + to_string(d) + " (growth | fraction 0.25"));
  }
}

TEST_CASE("whole reserves its full limit at first use") {
  runtime const rt{memory::whole{}};
  CHECK(memory_stats_of(gpu0).limit == 799 * mib);
  CHECK(first_step(gpu0) == 799 * mib);
}

TEST_CASE("each GPU can have policies of its own") {
  runtime const rt{memory::on_gpu<0>(memory::whole{} | quarter),
                   memory::on_gpu<1>(memory::growth{.start = 4_MiB} | memory::limit{10_MiB})};
  CHECK(memory_stats_of(gpu0).limit == 256 * mib);
  CHECK(first_step(gpu0) == 256 * mib);
  CHECK(memory_stats_of(gpu1).limit == 10 * mib);
  CHECK(first_step(gpu1) == 4 * mib);
}

TEST_CASE("a policy for one GPU overrides a policy for all, in the given order") {
  runtime const rt{memory::limit{64_MiB}, memory::on_gpu<1>(memory::limit{32_MiB})};
  CHECK(memory_stats_of(gpu0).limit == 64 * mib);
  CHECK(memory_stats_of(gpu1).limit == 32 * mib);
}

TEST_CASE("a GPU is split, and each virtual device grows independently") {
  runtime const rt{memory::growth{} | memory::virtual_devices<16_MiB, 8_MiB>{}};
  REQUIRE(this_machine().gpus == 3);
  CHECK(memory_stats_of(gpu0).limit == 16 * mib);
  CHECK(memory_stats_of(gpu1).limit == 8 * mib);
  CHECK(memory_stats_of(gpu2).limit == 799 * mib);
  pool_of(gpu1).allocate(3 * mib);
  CHECK(memory_stats_of(gpu0).reserved == 0);
  CHECK(memory_stats_of(gpu1).reserved == 4 * mib);
  CHECK(error_message([] {
          pool_of(gpu1).allocate(6 * mib);
        }).starts_with("placement: out of memory on /GPU:1 (growth | limit)"));
  CHECK(logical(gpu0).work.ordinal == logical(gpu1).work.ordinal);
  CHECK(to_string(logical(gpu1).part_of) ==
        "PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')");
}

TEST_CASE("if the second GPU is split, its virtual devices come after the first GPU") {
  runtime const rt{memory::on_gpu<1>(memory::virtual_devices<16_MiB, 8_MiB>{})};
  REQUIRE(this_machine().gpus == 3);
  CHECK(memory_stats_of(gpu0).limit == 799 * mib);
  CHECK(memory_stats_of(gpu1).limit == 16 * mib);
  CHECK(memory_stats_of(gpu2).limit == 8 * mib);
}

TEST_CASE("virtual devices of one GPU share its memory, and each keeps to its own limit",
          "[small]") {
  runtime const rt{memory::growth{} | memory::virtual_devices<40_MiB, 24_MiB>{}};
  pool_of(gpu0).allocate(40 * mib);
  pool_of(gpu1).allocate(24 * mib);
  CHECK(logical(gpu0).owner->memory(0).free == 0);
  CHECK(memory_stats_of(gpu0).reserved == 40 * mib);
  CHECK(memory_stats_of(gpu1).reserved == 24 * mib);
}

TEST_CASE("limits that exceed the GPU's memory by any byte are an error", "[small]") {
  CHECK(error_message([] { runtime const rt{memory::limit{{64 * mib + 1}}}; }) ==
        "The memory limits of the 1 logical device on /physical_device:GPU:0 are more than its 64 "
        "MiB");
  CHECK(error_message([] { runtime const rt{memory::virtual_devices<40_MiB, 25_MiB>{}}; }) ==
        "The memory limits of the 2 logical devices on /physical_device:GPU:0 are more than its 64 "
        "MiB");
  CHECK(error_message(
            [] { set_logical_device_limits({gpu0}, {~std::size_t{0}, ~std::size_t{0}}); }) != "");
  CHECK(error_message([] { runtime const rt{memory::virtual_devices<40_MiB, 24_MiB>{}}; }) == "");
  CHECK(this_machine().gpus == 3);
}

TEST_CASE("a fraction out of range is an error") {
  for (double share : {0.0, -0.5, 1.0001, std::numeric_limits<double>::infinity()})
    CHECK(error_message([share] { runtime const rt{memory::fraction{share}}; }) ==
          "A memory fraction is above 0 and at most 1, not " + detail::text_of_number(share));
  CHECK(error_message([] { set_memory_fraction(std::numeric_limits<double>::quiet_NaN()); }) != "");
  CHECK(error_message([] { set_memory_fraction({cpu0}, 0.5); }) ==
        "Cannot set a memory fraction on non-GPU devices: "
        "PhysicalDevice(name='/physical_device:CPU:0',"
        " device_type='CPU')");
  CHECK(memory_stats_of(gpu0).limit == 799 * mib);
}

TEST_CASE("a limit of zero is an error") {
  CHECK(error_message([] { runtime const rt{memory::limit{0_MiB}}; }) ==
        "Setting memory limit is required for GPU virtual devices");
}

TEST_CASE("growth without an increase is an error") {
  std::string const sentence =
      "Memory grows from a start above 0 by a factor from 1.1 to 1024, not from ";
  CHECK(error_message([] { runtime const rt{memory::growth{.start = 0_MiB}}; }) ==
        sentence + "0 bytes by 2");
  CHECK(error_message([] { runtime const rt{memory::growth{.factor = 1}}; }) ==
        sentence + "2097152 bytes by 1");
  CHECK(error_message([] {
          runtime const rt{memory::growth{.factor = std::numeric_limits<double>::quiet_NaN()}};
        }).starts_with(sentence));
  CHECK(
      error_message([] { set_memory_growth_steps({cpu0}, {}); }) ==
      "Cannot set memory growth on non-GPU devices: PhysicalDevice(name='/physical_device:CPU:0', "
      "device_type='CPU')");
}

TEST_CASE("a policy for a GPU that does not exist is an error if there are others") {
  CHECK(
      error_message([] { runtime const rt{memory::on_gpu<2>(memory::whole{})}; }) ==
      "placement: on_gpu<2> is about a GPU that is not visible; there are 2 visible GPUs, counted "
      "from 0.");
  runtime const rt{visible_gpus{"1"}, memory::on_gpu<0>(memory::limit{5_MiB})};
  CHECK(memory_stats_of(gpu0).limit == 5 * mib);
  CHECK(logical(gpu0).part_of.id == gpu1);
}

TEST_CASE("on a machine without GPUs policies change nothing") {
  runtime const rt{simulated_gpus{.count = 0}, memory::growth{} | memory::limit{5_MiB}};
  CHECK(this_machine() == machine{});
}
TEST_CASE("on a machine without GPUs a policy for one of them changes nothing") {
  runtime const rt{simulated_gpus{.count = 0}, memory::on_gpu<3>(memory::whole{})};
  CHECK(this_machine() == machine{});
}

TEST_CASE("TensorFlow's functions set the same policies, with limits in MiB") {
  auto const gpus = list_physical_devices("GPU");
  set_memory_growth(gpus[0], true);
  set_memory_growth(gpus[1], false);
  set_logical_device_configuration(gpus[0], {{.memory_limit_mib = 20}, {.memory_limit_mib = 10}});
  set_per_process_gpu_memory_fraction(0.5);
  CHECK(memory_growth(gpus[0]));
  CHECK_FALSE(memory_growth(gpus[1]));
  CHECK(list_logical_devices("GPU").size() == 3);
  CHECK(memory_stats_of(gpu0).limit == 20 * mib);  // not the fraction
  CHECK(memory_stats_of(gpu1).limit == 10 * mib);
  CHECK(memory_stats_of(gpu2).limit == 512 * mib);
  CHECK(first_step(gpu0) == 2 * mib);
  CHECK(first_step(gpu2) == 512 * mib);
}

TEST_CASE("memory policies cannot be changed late, but setting the one in force is no error") {
  runtime const rt{memory::growth{} | memory::limit{64_MiB}};
  freeze_configuration();
  CHECK(error_message([] { runtime const again{memory::growth{} | memory::limit{64_MiB}}; }) == "");
  CHECK(error_message([] { runtime const late{memory::whole{}}; }) ==
        "Physical devices cannot be modified after being initialized");
  CHECK(error_message([] { runtime const late{memory::growth{.factor = 3}}; }) ==
        "Physical devices cannot be modified after being initialized");
  CHECK(error_message([] { runtime const late{memory::limit{32_MiB}}; }) ==
        "Virtual devices cannot be modified after being initialized");
  CHECK(error_message([] { runtime const late{memory::fraction{0.5}}; }) ==
        "Physical devices cannot be modified after being initialized");
}

TEST_CASE("TF_FORCE_GPU_ALLOW_GROWTH switches growth off", "[whole]") {
  CHECK(first_step(gpu0) == 799 * mib);
}
TEST_CASE("TF_FORCE_GPU_ALLOW_GROWTH switches growth on, and code overrides it", "[growth]") {
  set_memory_growth({gpu1}, false);
  CHECK(first_step(gpu0) == 2 * mib);
  CHECK(first_step(gpu1) == 799 * mib);
}

TEST_CASE("the CPU is split without limits") {
  set_logical_device_configuration({cpu0}, {{}, {}});
  CHECK(list_logical_devices("CPU").size() == 2);
  CHECK(error_message([] {
          set_logical_device_configuration({cpu0}, {{.memory_limit_mib = 5}});
        }) == "Setting memory limit on CPU virtual devices is currently not supported");
}

TEST_CASE("with the policy trim_and_retry a failed request is retried after a trim") {
  runtime const rt{
      simulated_gpus{.count = 1, .memory_bytes = 64 * mib, .held_bytes = 20 * mib},
      memory::growth{} | memory::virtual_devices<40_MiB, 24_MiB>{} | memory::trim_and_retry{}};
  void* const a = pool_of(gpu0).allocate(40 * mib);
  CHECK(error_message([] { detail::allocate_block(gpu1, 24 * mib, {}); }) != "");
  pool_of(gpu0).deallocate(a, 40 * mib);
  CHECK(memory_stats_of(gpu0).reserved == 40 * mib);
  set_trim_and_retry(false);
  CHECK(
      error_message([] { detail::allocate_block(gpu1, 24 * mib, {}); }) ==
      "placement: out of memory on /GPU:1 (growth | limit): asked for 25165824 B; in use 0 B of a "
      "limit of 25165824 B; the largest free block is 4194304 B. The GPU has 67108864 B, of which "
      "4194304 B are free, 0 B are reserved here and 62914560 B are held by others: other "
      "processes, or other logical devices and libraries of this one. The device said: Out of "
      "memory on simulated GPU 0: asked for 25165824 bytes; 4194304 of 67108864 are free. Free "
      "tensors, call trim() for what other logical devices keep unused, or use smaller batches.");
  set_trim_and_retry(true);
  CHECK(error_message([] { detail::allocate_block(gpu1, 24 * mib, {}); }) == "");
  CHECK(memory_stats_of(gpu0).reserved == 0);
  CHECK(memory_stats_of(gpu1).in_use == 24 * mib);
}

TEST_CASE("stream_ordered allocates each block from the platform's own allocator") {
  runtime const rt{memory::stream_ordered{} | memory::limit{8_MiB}};
  {
    tensor<float, dextents<1>> x = zeros<float>(1 << 18);
    CHECK(memory_stats_of(gpu0).in_use == mib);
    CHECK(memory_stats_of(gpu0).reserved == mib);
    tensor<float, dextents<1>> const y = on(gpu1, x + 1.f);
    x = x * 2.f + 3.f;
    CHECK(y.read()[7] == 1);
    CHECK(x.read()[7] == 3);
    CHECK_THROWS_AS((tensor<float, dextents<1>>(zeros<float>(2 << 20))), out_of_memory);
    CHECK(pool_of(gpu0).check_invariants());
  }
  CHECK(memory_stats_of(gpu0).in_use == 0);
  CHECK(memory_stats_of(gpu0).peak >= mib);
  CHECK(trim(gpu0) == 0);
  CHECK(
      error_message([] { set_memory_stream_ordered({cpu0}, true); }) ==
      "Memory of non-GPU devices is not stream ordered: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')");
}
