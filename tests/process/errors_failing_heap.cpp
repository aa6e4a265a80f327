// gpus: 2
// Every host allocation fails once, in every public operation. The operation throws a
// placement::error, leaks nothing, and works afterwards.
#include <support/failing_heap.hpp>
#include <support/test_ops.hpp>

#include <placement/interop/graph.hpp>
#include <placement/interop/pmr.hpp>
#include <placement/memory/allocation_log.hpp>
#include <placement/memory/report.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdio>
#include <new>
#include <string>
#include <utility>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

constexpr device gpu1{kind::gpu, 1};

/// A call of a program that allocates nothing itself.
struct operation {
  char const* name;
  void (*run)();
  bool keeps = false;  ///< keeps memory for the process at each call
};

/// An allocation of the program itself, which is exempt from the failures.
template <class Call> auto by_the_program(Call call) {
  int const left = std::exchange(failing_heap::until_failure, 0);
  auto made = call();
  failing_heap::until_failure = left;
  return made;
}
std::vector<matrix<float>>& list_of_three = *new std::vector<matrix<float>>;
auto three() {
  return by_the_program([] { return list_of_three; });
}

/// Runs the operation with its k-th allocation failing, for each k. Returns the number of
/// allocations.
int fail_each_allocation_of(operation const& o) {
  INFO(o.name);
  o.run();  // allocates what the process keeps
  int failures = 0;
  for (int k = 1;; ++k) {
    INFO("allocation " << k);
    REQUIRE(k < 2000);
    if (is_initialized()) synchronize();
    long const alive = failing_heap::alive;
    char const* thrown = nullptr;
    failing_heap::fail(k);
    try {
      o.run();
    } catch (error const&) { thrown = "an error"; } catch (std::bad_alloc const&) {
      thrown = "a plain std::bad_alloc";
    }
    bool const failed = failing_heap::has_failed();
    if (!failed) break;
    if (is_initialized()) synchronize();
    long const alive_after = failing_heap::alive;  // before Catch2 stores messages
    if (!o.keeps) CHECK(alive_after == alive);
    if (thrown != nullptr) CHECK(std::string(thrown) == "an error");
    ++failures;
  }
  return failures;
}
template <std::size_t N> int fail_each_allocation(operation const (&all)[N]) {
  int failures = 0;
  for (operation const& o : all) failures += fail_each_allocation_of(o);
  return failures;
}

// The operands of the operations are created before anything fails.
physical_device first_gpu() { return {gpu0}; }
std::vector<physical_device> const both{{gpu0}, {gpu1}}, second{{gpu1}};
std::vector<logical_device_configuration> const halves{{.memory_limit_mib = 64},
                                                       {.memory_limit_mib = 32}};

operation const configuration[] = {
    {"a runtime",
     [] {
       runtime const rt{memory::growth{.start = 4_MiB} | memory::limit{100_MiB},
                        visible_gpus{"1,0"}, log_level::off};
       runtime const other{memory::whole{} | memory::virtual_devices<10_MiB, 20_MiB>{},
                           visible_gpus{"0,1"}};
     }},
    {"visible devices",
     [] {
       set_visible_devices(second, "GPU");
       set_visible_device_list("0");
       set_visible_devices(both);
       static_cast<void>(visible_devices());
       static_cast<void>(list_physical_devices("GPU"));
     }},
    {"memory policies",
     [] {
       set_memory_growth(first_gpu(), !memory_growth(first_gpu()));
       set_memory_fraction(first_gpu(), memory_fraction() + 0.25);
       set_memory_growth_steps(first_gpu(), {.start_bytes = 1 << 20, .factor = 3});
       set_memory_stream_ordered(first_gpu(), false);
     }},
    {"logical devices",
     [] {
       set_logical_device_configuration(first_gpu(), halves);
       static_cast<void>(logical_device_limits(first_gpu()));
     }},
    {"a wrong call of each kind",
     [] {
       auto const refused = [](auto call) {
         try {
           call();
         } catch (invalid_argument const&) {}
       };
       refused([] { set_visible_device_list("7"); });
       refused([] { set_memory_growth(physical_device{{kind::gpu, 9}}, true); });
       refused([] { set_memory_fraction(2.0); });
       refused([] { set_memory_growth({cpu0}, true); });
       refused([] { set_simulated_gpus({.count = 99}); });
       refused([] { set_intra_op_threads(-1); });
     }},
    {"questions before anything is fixed",
     [] {
       static_cast<void>(available_devices());
       static_cast<void>(device_numbering());
       static_cast<void>(device_mapping());
       static_cast<void>(device_mapping_tf1());
       static_cast<void>(hardware_name(gpu0));
       static_cast<void>(properties(cpu0));
       static_cast<void>(gpu_device_name());
       static_cast<void>(why_no_gpu());
       static_cast<void>(environment_report());
     }},
};

// ---- once the devices are fixed

matrix<float>&here = *new matrix<float>, &there = *new matrix<float>, &host = *new matrix<float>,
                                         &target = *new matrix<float>;
std::vector<float> const numbers{1.f, 2.f, 3.f, 4.f};

void make_operands() {
  host = copy_to("/cpu:0", matrix<float>{{1.f, -2.f}, {3.f, 4.f}});
  here = copy_to("/gpu:0", host);
  there = copy_to("/gpu:1", host);
  target = host;
  list_of_three = {here, there, host};
}

operation const tensors[] = {
    {"numbers", [] { target = matrix<float>{{9.f, 8.f}, {7.f, 6.f}}; }},
    {"numbers of the program's memory", [] { target = from(numbers, shape(2, 2)); }},
    {"borrowed memory",
     [] { auto const b = borrow(const_cast<float*>(numbers.data()), shape(2, 2)); }},
    {"element-wise ops of three devices", [] { target = relu(here * host + there) * 2.f; }},
    {"an expression of many ops, and a copy of it",
     [] {
       auto const many = here + host + there + host + here + host + there + host + here + host +
                         there + host + here + host + there + host;
       auto const again = many;
       target = again - many;
     }},
    {"a product", [] { target = relu(matmul(here + there, transpose(host)) + 1.f); }},
    {"reductions", [] { target = here + sum(there * host) + sum(there, 0); }},
    {"softmax", [] { target = softmax(here); }},
    {"a sort", [] { target = sort(host); }},
    {"lists",
     [] {
       target = add_n(three());
       auto const all = evaluate(concat(0, three()));
       auto const high = evaluate(stack(0, three()));
     }},
    {"a view that is written to",
     [] { slice(view(target), range{0, 1}) = slice(there, range{1, 2}); }},
    {"a copy that is written to",
     [] {
       matrix<float> copy = there;
       copy.data();
     }},
    {"copies",
     [] {
       target = copy_to("/gpu:1", host);
       target = copy_to("/cpu:0", there);
     }},
    {"reading",
     [] {
       static_cast<void>(there.read());
       static_cast<void>(item(sum(there)));
       static_cast<void>(to_string(there));
     }},
    {"pinned parts", [] { target = on("/gpu:1", relu(here)) + on("/cpu:0", there); }},
    {"an op without a GPU kernel",
     [] {
       with_device const scope("/gpu:0");
       target = relu(next(relu(here), {"user.cpp", 1}));
     }},
    {"several results",
     [] {
       matrix<float> a, b;
       evaluate(into(a) = host + 1.f, into(b) = host * 2.f);
     }},
    {"tensors with their device in the type",
     [] {
       tensor<float, dextents<2>, dev<kind::gpu, 1>> const a = there + 1.f;
       tensor<float, extents<2, 2>, dev<kind::cpu, 0>> const b{{1.f, 2.f}, {3.f, 4.f}};
       static_cast<void>(b);
     }},
    {"random numbers", [] { target = normal<float>(shape(2, 2)); }},
    {"a captured graph",
     [] {
       matrix<float> y = here;
       graph step = capture("/gpu:0", [&] { y = relu(here) + 1.f; });
       step.replay();
     }},
};

operation const words[] = {
    {"scopes",
     [] {
       static int n = 0;
       char name[64];
       std::snprintf(name, sizeof name, "/job:a_job_with_a_long_name_%d/gpu:0", ++n);
       with_device const scope(name, soft_placement{});
       with_device const inner("/gpu:1", transfers::warn);
     },
     true},
    {"names",
     [] {
       static int n = 0;
       char name[64];
       std::snprintf(name, sizeof name, "a name longer than a short string %d", ++n);
       auto const e = named(name, relu(here));
     },
     true},
    {"plans",
     [] {
       static_cast<void>(explain(relu(here * host) + sum(there)));
       static_cast<void>(to_string(plan_of(relu(here * host), this_machine())));
     }},
    {"what is missing, under hard placement",
     [] {
       try {
         with_device const scope("/gpu:9", hard_placement{});
         target = relu(here);
       } catch (placement_error const&) {}
     }},
    {"a fallback that is logged",
     [] {
       with_device const scope("/gpu:9");
       static unsigned line = 0;
       target = next(here, {"user.cpp", ++line});
       static_cast<void>(fallbacks());
       static_cast<void>(fallback_count());
     },
     true},
    {"a log of everything",
     [] {
       with_device const scope("/gpu:1", log_level::all);
       target = relu(here * there) + host;
     }},
    {"figures of memory",
     [] {
       static_cast<void>(memory_report());
       static_cast<void>(memory_stats_of(gpu0));
       trim();
       static_cast<void>(copies_between(gpu0, gpu1));
       static_cast<void>(all_copies());
     }},
    {"questions about devices",
     [] {
       static_cast<void>(list_logical_devices("GPU"));
       static_cast<void>(device_mapping());
       static_cast<void>(available_devices());
       static_cast<void>(logical(gpu0).full_name());
       static_cast<void>(to_string(gpu1));
     }},
    {"an error of shape",
     [] {
       try {
         static_cast<void>(matmul(here, concat(axis<0>, here, here)));
       } catch (shape_error const&) {}
     }},
    {"a device that is full",
     [] {
       try {
         auto const large = evaluate(zeros<float>(index_t{1} << 40));
       } catch (out_of_memory const&) {}
     }},
    {"an allocation log", [] { allocation_log const log("/dev/null"); }},
    {"containers",
     [] {
       static pool_resource memory;
       std::pmr::vector<float> const v(1000, 0.f, &memory);
       arena_resource arena;
       std::pmr::vector<float> const w(1000, 0.f, &arena);
     }},
};

void swallow(std::string_view, void*) {}

}  // namespace

TEST_CASE("a heap that fails while the devices are configured gives out_of_memory") {
  CHECK(fail_each_allocation(configuration) > 50);
}
TEST_CASE("a heap that fails while tensors are computed gives out_of_memory") {
  set_log_level(log_level::off);
  make_operands();
  CHECK(fail_each_allocation(tensors) > 50);
}
TEST_CASE("a heap that fails while tensors and devices are printed gives out_of_memory") {
  set_log_sink(swallow);
  make_operands();
  CHECK(fail_each_allocation(words) > 100);
}
