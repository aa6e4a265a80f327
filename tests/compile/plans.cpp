// Plans as constants: devices, kernels and copies of an expression type on a machine.
#include <support/test_ops.hpp>

#include <placement/gradient/static_gradient.hpp>
#include <placement/nets.hpp>
#include <placement/placement.hpp>

namespace plans {

using namespace placement;
using namespace placement::literals;

using small = tensor<float, extents<2, 2>>;
using ints = tensor<int, dextents<2>>;
extern matrix<float> const m;  // only the type is used
extern small const s;
extern ints const n;

constexpr machine host{}, one{.gpus = 1}, two{.gpus = 2}, real{.gpus = 2, .real = true};

template <class E> constexpr auto plan_on(machine on, device_spec scope = {}) {
  return plan_of<E>(on, {}, scope);
}

// ---- a single product

using product = decltype(matmul(m, m));
static_assert(plan_on<product>(two).node("MatMul").device == gpu0);
static_assert(plan_on<product>(two).node("MatMul").why == reason::gpu_first);
static_assert(plan_on<product>(host).node("MatMul").device == cpu0);
static_assert(plan_on<product>(host).node("MatMul").why == reason::no_gpu);
static_assert(plan_on<product>(two, gpu1).node("MatMul").device == gpu1);
static_assert(plan_on<product>(two).size == 1 && plan_on<product>(two).kernels == 1);
static_assert(plan_on<product>(two).fallbacks() == 0);
static_assert(plan_on<product>(host, gpu1).node("MatMul").why == reason::no_such_device);
static_assert(plan_on<product>(host, gpu1).fallbacks() == 1);
static_assert(plan_on<product>(real).node("MatMul").why == (detail::kernels_of<product>.launchable
                                                                ? reason::gpu_first
                                                                : reason::not_compiled_here));

// ---- hard placement rejects an op, and the plan says which

static_assert(plan_of<product>(one, policy{false}, gpu1).node("MatMul").refused);
static_assert(!plan_of<product>(two, policy{false}, gpu1).node("MatMul").refused);

// ---- an element type without a GPU kernel

using int_product = decltype(matmul(n, n));
static_assert(plan_on<int_product>(two).node("MatMul").device == cpu0);
static_assert(plan_on<int_product>(two).node("MatMul").why == reason::no_gpu_kernel);
static_assert(plan_on<int_product>(two).node("MatMul").element == "int32");

// ---- two towers, added on the CPU

using towers =
    decltype(on("/cpu:0"_dev, on("/gpu:0"_dev, matmul(m, m)) + on("/gpu:1"_dev, matmul(m, m))));
constexpr auto towers_plan = plan_on<towers>(two);
static_assert(towers_plan.node("MatMul", 0).device == "/gpu:0"_dev);
static_assert(towers_plan.node("MatMul", 1).device == "/gpu:1"_dev);
static_assert(towers_plan.node("Add").device == "/cpu:0"_dev);
static_assert(towers_plan.node("Add").why == reason::pinned);
static_assert(towers_plan.kernels == 3 && towers_plan.fallbacks() == 0);
static_assert(plan_on<towers>(one).node("MatMul", 1).device == gpu0 &&
              plan_on<towers>(one).fallbacks() == 1);
static_assert(plan_on<towers>(host).fallbacks() == 2);

// ---- with static extents the bytes are known

using static_towers = decltype(on("/gpu:0"_dev, matmul(s, s)) + on("/gpu:1"_dev, matmul(s, s)));
static_assert(plan_on<static_towers>(two, cpu0).copies() == 2);
static_assert(plan_on<static_towers>(two, cpu0).bytes_moved() == 2 * 2 * 2 * sizeof(float));
static_assert(plan_on<static_towers>(two, gpu1).copies() == 1);
static_assert(plan_on<static_towers>(two, gpu1).bytes_moved() == 16);
static_assert(plan_on<static_towers>(two, cpu0).node("Add").bytes == 32 &&
              plan_on<static_towers>(two).node("MatMul").bytes == 0);
static_assert(plan_on<static_towers>(host, cpu0).copies() == 0);

// ---- with dynamic extents the copies are known, but their bytes are not

using tower_sum = decltype(on("/gpu:0"_dev, matmul(m, m)) + on("/gpu:1"_dev, matmul(m, m)));
static_assert(plan_on<tower_sum>(two, cpu0).copies() == 2);
static_assert(!plan_on<tower_sum>(two, cpu0).node("Add").exact);
static_assert(plan_on<tower_sum>(two).copies() == 1);
static_assert(plan_on<static_towers>(two, cpu0).node("Add").exact);

// ---- fused ops are one kernel: a product takes the element-wise ops around it as its epilogue

using layer = decltype(relu(matmul(m, m) + 1.f));
constexpr auto layer_plan = plan_on<layer>(two, gpu1);
static_assert(layer_plan.kernels == 1 && layer_plan.size == 3);
static_assert(layer_plan.nodes[0].op == "MatMul" && layer_plan.nodes[1].op == "Add" &&
              layer_plan.nodes[2].op == "Relu");
static_assert(layer_plan.nodes[2].root && !layer_plan.nodes[0].root &&
              layer_plan.nodes[0].kernel == 0);
static_assert(layer_plan.node("MatMul").device == gpu1);

// ---- only element-wise ops on the product itself are its epilogue, not those behind a view

using second_product = decltype(transpose(matmul(s, s)) + matmul(s, s));
static_assert(plan_on<second_product>(two).kernels == 2);
static_assert(plan_on<second_product>(two).nodes[0].root &&
              plan_on<second_product>(two).nodes[0].op == "MatMul");
static_assert(plan_on<second_product>(two).nodes[1].op == "Transpose");
static_assert(!plan_on<second_product>(two).nodes[2].root &&
              plan_on<second_product>(two).nodes[2].kernel == 1);

// ---- a reduction fuses the element-wise ops of its operand, and those on its result

using norm = decltype(sum(relu(m) * m) + 1.f);
static_assert(plan_on<norm>(two).kernels == 1 && plan_on<norm>(two).size == 4);
static_assert(plan_on<norm>(two).node("Relu").kernel == plan_on<norm>(two).node("Sum").kernel);

// ---- a reduction of another shape is a kernel of its own

using centred = decltype(m + sum(m));
static_assert(plan_on<centred>(two).kernels == 2);
static_assert(plan_on<centred>(two).nodes[0].op == "Sum" &&
              plan_on<centred>(two).nodes[1].op == "Add");

// ---- an op without a GPU kernel splits a fusion group on a GPU, but not on a CPU

using with_next = decltype(relu(next(relu(s))));
constexpr auto split = plan_on<with_next>(two, gpu1);
static_assert(split.kernels == 3 && split.fallbacks() == 1);
static_assert(split.node("Relu", 0).device == gpu1 && split.node("Relu", 1).device == gpu1);
static_assert(split.node("Next").device == cpu0 && split.node("Next").why == reason::no_gpu_kernel);
static_assert(split.copies() == 2 && split.bytes_moved() == 32);
static_assert(plan_on<with_next>(host).kernels == 1 && plan_on<with_next>(host).fallbacks() == 0);
static_assert(plan_on<with_next>(two, cpu0).kernels == 1);

// ---- an op of tensors with a device in the type is moved if it is fused into an op without one

extern tensor<float, extents<2, 2>, dev<kind::gpu, 1>> const at_gpu1;
using moved_op = decltype(relu(at_gpu1) + s);
static_assert(plan_on<moved_op>(two).kernels == 1);
static_assert(plan_on<moved_op>(two).node("Relu").moved &&
              plan_on<moved_op>(two).node("Relu").written == device_spec{gpu1});
static_assert(plan_of<moved_op>(two, policy{false}).node("Relu").refused);
static_assert(!plan_of<moved_op>(two, policy{false}, gpu1).node("Relu").moved);
static_assert(!plan_on<decltype(on("/gpu:0"_dev, relu(at_gpu1) + s))>(two).node("Relu").moved);
static_assert(!plan_on<decltype(on("/gpu:0", relu(at_gpu1) + s))>(two).node("Relu").moved);

// ---- nested reductions with an op on the result: each reduction is one kernel

using sum_of_sums = decltype(sum(sum(m, axis<0>)) + 1.f);
static_assert(plan_on<sum_of_sums>(two).size == 3 && plan_on<sum_of_sums>(two).kernels == 2);
static_assert(plan_on<sum_of_sums>(two).nodes[0].root &&
              plan_on<sum_of_sums>(two).nodes[0].into == 1);

// ---- views need no kernel in a product

using transposed = decltype(matmul(transpose(m), m));
static_assert(plan_on<transposed>(two).kernels == 1 && plan_on<transposed>(two).size == 2);

// ---- a tensor that on() moves is a separate copy

using moved = decltype(relu(on("/gpu:1"_dev, s)));
static_assert(plan_on<moved>(two).node("Copy").device == gpu1);
static_assert(plan_on<moved>(two).node("Copy").kernel == -1);
static_assert(plan_on<moved>(two).node("Relu").copies == 1);

// ---- the device of a run-time on() is not in the type

using run_time = decltype(on("/gpu:1", relu(m)));
static_assert(plan_on<run_time>(two).node("Relu").device == gpu0);
static_assert(plan_on<run_time>(two).node("Relu").why == reason::gpu_first);

// ---- a strict pin rejects a fallback under any policy

using strictly = placed<decltype(next(s)), dev<kind::gpu, 0>, strict_t>;
static_assert(plan_of<strictly>(two).node("Next").refused);
static_assert(
    !plan_of<placed<decltype(relu(s)), dev<kind::gpu, 0>, strict_t>>(two).node("Relu").refused);

// ---- the plan contains the static extents of the type

static_assert(plan_on<static_towers>(two).node("Add").rank == 2 &&
              plan_on<static_towers>(two).node("Add").extent[1] == 2);
static_assert(plan_on<product>(two).node("MatMul").extent[0] == dyn);

// ---- of two products of one type, one takes the sum as its epilogue, the other is a kernel before
// it

using twins = decltype(matmul(m, m) + matmul(m, m));
static_assert(plan_on<twins>(two).kernels == 2 && plan_on<twins>(two).size == 3);
static_assert(plan_on<twins>(two).node("MatMul", 1).kernel ==
              plan_on<twins>(two).node("Add").kernel);
static_assert(plan_on<twins>(two).temporaries() == 1);

// ---- temporaries: results that a later kernel reads

static_assert(layer_plan.temporaries() == 0 && layer_plan.temporary_bytes() == 0);
static_assert(plan_on<static_towers>(two).temporaries() == 2 &&
              plan_on<static_towers>(two).temporary_bytes() == 32);
static_assert(plan_on<towers>(two, cpu0).temporaries() == 2);
static_assert(plan_on<towers>(two, cpu0).nodes[0].result_bytes == unknown_size);

// ---- with dynamic extents, the bytes are a function of the shapes

static_assert(plan_on<towers>(two).copies() == 2 && !plan_on<towers>(two).node("Add").exact);
constexpr auto told =
    plan_of<towers>(two, {}, {}, shape(2, 3), extents<3, 5>{}, shape(2, 7), shape(7, 5));
static_assert(told.copies() == 2 && told.bytes_moved() == 2 * 2 * 5 * sizeof(float));
static_assert(told.temporaries() == 2 && told.temporary_bytes() == 80);
static_assert(told.node("Add").exact && told.node("Add").extent[1] == 5);
static_assert(told.node("MatMul", 1).extent[0] == 2 && told.node("MatMul", 1).result_bytes == 40);

// The shapes determine which operands are broadcast, and so which reductions cannot take the
// epilogue.
using spread = decltype(sum(m, axis<0>) + sum(m, axis<0>) * m);
static_assert(plan_of<spread>(two, {}, {}, shape(1, 3), shape(1, 3), shape(4, 3)).kernels == 3);
using onto_one = decltype(matmul(m, m) + m);
static_assert(plan_on<onto_one>(two).kernels == 1);
static_assert(plan_of<onto_one>(two, {}, {}, shape(1, 3), shape(3, 1), shape(1, 1)).kernels == 1);
static_assert(plan_of<onto_one>(two, {}, {}, shape(1, 3), shape(3, 1), shape(1, 8)).kernels == 2);
// An op that keeps bytes for its gradients has a member, and is still determined by its type.
extern tensor<float, dextents<4>> const images;
extern tensor<float, dextents<1>> const bias;
using pooled = decltype(conv2d_relu_max_pool2d(images, images, bias));
static_assert(
    plan_of<pooled>(two, {}, {}, shape(32, 6, 6, 2), shape(3, 3, 2, 4), shape(4)).kernels == 1);

template <class E, class... X> concept fits_when_told =
    requires { typename std::bool_constant<(plan_of<E>(two, {}, {}, X{}...), true)>; };
static_assert(fits_when_told<onto_one, extents<1, 3>, extents<3, 1>, extents<1, 8>>);
static_assert(!fits_when_told<onto_one, extents<1, 3>, extents<2, 1>, extents<1, 8>>);
static_assert(!fits_when_told<onto_one, extents<1, 3>, extents<3>, extents<1, 8>>);

// ---- the gradient of an expression is planned from its type: each derivative with its device

using loss_of_layer = decltype(sum(tanh(matmul(s, leaf<0>(s)))));
using by_weights = decltype(gradient<0>(std::declval<loss_of_layer>()));
constexpr auto gradient_plan = plan_on<by_weights>(two, gpu1);
static_assert(gradient_plan.node("TanhGrad").device == gpu1 &&
              gradient_plan.node("TanhGrad").why == reason::scope);
static_assert(gradient_plan.node("TanhGrad").root && gradient_plan.fallbacks() == 0);
// The layer, fused into TanhGrad, and the product of the transposed input with that.
static_assert(gradient_plan.kernels == 2 && gradient_plan.temporaries() == 1);
static_assert(gradient_plan.nodes[gradient_plan.size - 1].op == "MatMul" &&
              gradient_plan.nodes[gradient_plan.size - 1].extent[0] == 2);
static_assert(plan_on<by_weights>(host, gpu1).node("TanhGrad").device == cpu0);
static_assert(plan_on<by_weights>(one, gpu1).node("TanhGrad").why == reason::no_such_device);

// Below on() the derivative has its device, and the one above it has that of the scope.
using loss_of_tower = decltype(sum(on("/gpu:1"_dev, tanh(leaf<0>(s) * s)) * s));
using by_tower = decltype(gradient<0>(std::declval<loss_of_tower>()));
static_assert(plan_on<by_tower>(two, gpu0).node("TanhGrad").device == gpu1);
static_assert(plan_on<by_tower>(two, gpu0).node("Mul").device == gpu0);
static_assert(plan_on<by_tower>(two, gpu0).copies() == 1 &&
              plan_on<by_tower>(two, gpu0).bytes_moved() == 16);

// ---- a plan uses the devices in types

template <int I> using on_gpu = tensor<float, extents<2, 2>, dev<kind::gpu, I>>;
extern on_gpu<0> const first;
extern on_gpu<1> const second;
using typed = decltype(first * first + 1.f);
static_assert(plan_on<typed>(two).node("Add").device == gpu0 &&
              plan_on<typed>(two, cpu0).copies() == 0);
static_assert(plan_on<typed>(two, gpu1).node("Add").why == reason::in_the_type);
static_assert(plan_on<typed>(host).node("Add").why == reason::no_such_device &&
              plan_on<typed>(host).fallbacks() == 1);
using mixed = decltype(first + second);
static_assert(plan_on<mixed>(two).node("Add").device == gpu0 && plan_on<mixed>(two).copies() == 1 &&
              plan_on<mixed>(two).bytes_moved() == 16);
static_assert(plan_on<mixed>(two, gpu1).copies() == 1 && plan_on<mixed>(two, cpu0).copies() == 2);
static_assert(plan_on<mixed>(one).copies() == 0);

}  // namespace plans

// ---- rules

namespace {

constexpr auto large_on_gpu = [](placement::op_facts const& op) {
  return op.bytes > 1024 ? placement::spec("/gpu:1") : placement::spec("/cpu:0");
};
template <int N>
using product_of =
    decltype(matmul(std::declval<placement::tensor<float, placement::extents<N, N>> const&>(),
                    std::declval<placement::tensor<float, placement::extents<N, N>> const&>()));

constexpr placement::machine with_two_gpus{.gpus = 2};
static_assert(
    placement::plan_of<product_of<32>>(with_two_gpus, large_on_gpu).node("MatMul").device ==
    placement::device{placement::kind::gpu, 1});
static_assert(
    placement::plan_of<product_of<16>>(with_two_gpus, large_on_gpu).node("MatMul").device ==
    placement::cpu0);
static_assert(placement::plan_of<product_of<16>>(with_two_gpus, large_on_gpu).node("MatMul").why ==
              placement::reason::rule);

}  // namespace
