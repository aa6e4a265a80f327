// What the emulated GPU reports: kernels that access wrong memory, race, or wait for nothing.
#include "ptx_program.hpp"

using namespace ptx;

namespace {

/// Stores a word at p0 + offset(%r0), where a body before it computes %rd0.
std::string const store_one = "mov.u32 %r9, 1;\nst.global.u32 [%rd0], %r9;\nret;";

template <class T>
std::string fault_of(std::string const& body, std::vector<T>& array, launch_settings const& how) {
  ptx_program program(kernel_text(1, body));
  program.with(array);
  return message_of([&] { program.run(how); });
}
/// A body for shared memory of 256 words: %r5 is the address of the thread's word.
std::string shared(std::string const& body) {
  return addresses({4}) +
         ".shared .align 4 .b8 s[1024];\nmov.u32 %r4, s;\nshl.b32 %r6, %r1, 2;\n"
         "add.u32 %r5, %r4, %r6;\nxor.b32 %r7, %r6, 1020;\nadd.u32 %r7, %r4, %r7;\n" +
         body + "\nret;";
}

}  // namespace

TEST_CASE("an access beyond an array names the block, the thread and the line") {
  std::vector<u32> array(64);
  std::string const text = fault_of(addresses({4}) + store_one, array, {.grid = {3, 1, 1}});
  CHECK(text.starts_with("write of 4 bytes at 0x"));
  CHECK(contains(text,
                 "which is not in the memory of the GPU, in block (2,0,0) thread (0,0,0), line"));
  CHECK(text.ends_with(": st.global.u32 [%rd0], %r9"));
  CHECK(fault_of(addresses({4}) + store_one, array, {.grid = {2, 1, 1}}) == "none");
}
TEST_CASE("a misaligned access is a fault of its own") {
  std::vector<u32> array(64);
  ptx_program program(
      kernel_text(1, addresses({4}) + "ld.global.v2.u32 {%r5, %r6}, [%rd0+4];\nret;"));
  program.with(array);
  try {
    program.run({.threads = {1, 1, 1}});
    FAIL("no fault");
  } catch (fault const& f) {
    CHECK(f.what_kind == fault::kind::misaligned);
    CHECK(contains(f.what(), "misaligned access of 8 bytes, in block (0,0,0) thread (0,0,0)"));
  }
}
TEST_CASE("an access beyond shared memory is a fault, and so is one of another thread's locals") {
  std::vector<u32> array(64);
  CHECK(contains(fault_of(shared("st.shared.u32 [%r5+1020], %r1;"), array, {}),
                 "access of 4 bytes at 1024 of shared memory, which has 1024, in block (0,0,0) "
                 "thread (1,0,0)"));
  CHECK(contains(fault_of(addresses({4}) + ".local .align 8 .b8 own[16];\nmov.u64 %rd5, own;\n"
                                           "st.local.u32 [%rd5+16], %r1;\nret;",
                          array, {}),
                 "not in the memory of the GPU"));
}
TEST_CASE("a write of the parameters is a fault") {
  std::vector<u32> array(64);
  CHECK(contains(
      fault_of(addresses({4}) + "mov.b64 %rd5, p0;\nst.u64 [%rd5], %rd0;\nret;", array, {}),
      "write of 8 bytes"));
}
TEST_CASE("threads of a block that share memory without a barrier race") {
  std::vector<u32> array(256);
  launch_settings const block{.threads = {256, 1, 1}};
  std::string const write = "st.shared.u32 [%r5], %r1;\n", read = "ld.shared.u32 %r8, [%r7];\n";
  CHECK(contains(fault_of(shared(write + read), array, block),
                 "since the last barrier, in block (0,0,0) thread"));
  CHECK(contains(fault_of(shared(write + read), array, block),
                 "race: write of shared memory that thread"));
  CHECK(contains(
      fault_of(shared(write + "bar.sync 0;\n" + read + "st.shared.u32 [%r5], %r8;"), array, block),
      "race: read of shared memory that thread"));
  CHECK(fault_of(shared(write + "bar.sync 0;\n" + read + "bar.sync 0;\nst.shared.u32 [%r5], %r8;"),
                 array, block) == "none");
  CHECK(contains(fault_of(shared("st.shared.u32 [%r4], %r1;"), array, block),
                 "race: write of shared memory that thread 0 wrote since"));
  CHECK(fault_of(shared("atom.shared.add.u32 %r8, [%r4], 1;"), array, block) == "none");
}
TEST_CASE("bar.warp.sync orders the lanes of a warp, and not those of others") {
  std::vector<u32> array(256);
  std::string const body =
      "st.shared.u32 [%r5], %r1;\nbar.warp.sync -1;\nxor.b32 %r7, %r6, OTHER;\n"
      "add.u32 %r7, %r7, %r4;\nld.shared.u32 %r8, [%r7];\nbar.warp.sync -1;\n"
      "st.shared.u32 [%r5], %r8;";
  auto const with = [&](std::string const& other) {
    std::string text = body;
    text.replace(text.find("OTHER"), 5, other);
    return fault_of(shared(text), array, {.threads = {64, 1, 1}});
  };
  CHECK(with("4") == "none");
  CHECK(contains(with("128"), "race: "));
}
TEST_CASE("blocks that write what others access race, where that is checked") {
  std::vector<u32> array(64);
  std::string const same = addresses({0}) + store_one;
  launch_settings const unchecked{.grid = {2, 1, 1}, .threads = {1, 1, 1}};
  launch_settings const checked{.grid = {2, 1, 1}, .threads = {1, 1, 1}, .races = true};
  CHECK(fault_of(same, array, unchecked) == "none");
  CHECK(
      contains(fault_of(same, array, checked),
               "race: write of memory that block 1 accesses in the same launch, in block (0,0,0)"));
  CHECK(contains(
      fault_of(addresses({4}) + "ld.global.u32 %r8, [%rd0];\nxor.b32 %r9, %r2, 1;\n"
                                "ld.param.u64 %rd5, [p0];\nmul.wide.u32 %rd6, %r9, 4;\n"
                                "add.s64 %rd5, %rd5, %rd6;\nst.global.u32 [%rd5], %r8;\nret;",
               array, checked),
      "race: "));
  CHECK(fault_of(addresses({0}) + "red.global.add.u32 [%rd0], 1;\nret;", array, checked) == "none");
  CHECK(fault_of(addresses({4}) + store_one, array, checked) == "none");
}
TEST_CASE("a read of memory that nothing has written is found, where that is checked") {
  std::vector<u32> array(64);
  initialized_bytes known;
  std::string const copy =
      addresses({4}) + "ld.global.u32 %r9, [%rd0];\nst.global.u32 [%rd0], %r9;\nret;";
  launch_settings const checked{.initialized = &known};
  CHECK(contains(fault_of(copy, array, checked),
                 "read of 4 bytes of memory that nothing has initialized, in block"));
  CHECK(fault_of(addresses({4}) + store_one, array, checked) == "none");
  CHECK(fault_of(copy, array, checked) == "none");
  known.set(reinterpret_cast<u64>(array.data()) + 5, 1, false);
  CHECK(contains(fault_of(copy, array, checked), "thread (1,0,0)"));
}
TEST_CASE("a use of shared memory that nothing has written is found, where that is checked") {
  std::vector<u32> array(64);
  initialized_bytes known;
  launch_settings const checked{.initialized = &known};
  auto const fault_with = [&](std::string const& body) {
    return fault_of(shared(body), array, checked);
  };
  std::string const read = "ld.shared.u32 %r8, [%r5];\n";
  std::string const add = read + "add.u32 %r8, %r8, 1;", store = "st.global.u32 [%rd0], %r8;";
  CHECK(fault_of(shared(add), array, {}) == "none");
  std::string const text = fault_with(add);
  CHECK(text.starts_with("use of shared memory that nothing has initialized, which line "));
  CHECK(contains(text, " has read, in block (0,0,0) thread (0,0,0), line "));
  CHECK(text.ends_with(": add.u32 %r8, %r8, 1"));
  CHECK(contains(fault_with(read + store), "st.global.u32 [%rd0], %r8"));
  CHECK(contains(fault_with(read + "setp.eq.u32 %p1, %r8, 0;"), "setp.eq.u32"));
  CHECK(contains(fault_with(read + "cvt.u64.u32 %rd5, %r8;"), "cvt.u64.u32"));
  CHECK(contains(fault_with("ld.shared.u32 %r8, [%r5];\nld.shared.u32 %r9, [%r8];"), "[%r8]"));
  CHECK(contains(fault_with("atom.shared.add.u32 %r8, [%r5], 1;"), "atom.shared.add.u32"));
  CHECK(contains(fault_with("st.shared.u16 [%r5], 1;\n" + read + "add.u32 %r8, %r8, 1;\n" +
                            "ld.shared.u16 %h1, [%r5+2];\nadd.u16 %h1, %h1, 1;"),
                 "add.u16 %h1, %h1, 1"));
  CHECK(fault_with("st.shared.u32 [%r5], %r1;\n" + add + store) == "none");
  CHECK(fault_with(read + "mov.u32 %r8, 1;\nadd.u32 %r8, %r8, 1;\n" + store) == "none");
}
TEST_CASE("copies of undefined bytes are no fault, and what computes with a copy is one") {
  std::vector<u32> array(256);
  initialized_bytes known;
  launch_settings const checked{.initialized = &known};
  auto const fault_with = [&](std::string const& body) {
    return fault_of(shared("shl.b32 %r10, %r1, 4;\nadd.u32 %r10, %r10, %r4;\n"
                           "st.shared.u32 [%r10], %r1;\nbar.warp.sync -1;\n" +
                           body),
                    array, checked);
  };
  std::string const load = "ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r10];\n";
  std::string const store = "st.shared.v4.u32 [%r10+512], {%r11, %r12, %r13, %r14};\n";
  std::string const again = "ld.shared.v2.u32 {%r15, %r16}, [%r10+512];\n";
  std::string const first = load + "setp.eq.u32 %p1, %r1, 0;\n@%p1 ";
  CHECK(fault_with(first + "st.global.v2.u32 [%rd0], {%r11, %r12};") == "none");
  CHECK(contains(fault_with(first + "st.global.v2.u32 [%rd0], {%r13, %r12};"), "st.global.v2"));
  CHECK(fault_with(load + store + again + "add.u32 %r15, %r15, 1;") == "none");
  CHECK(contains(fault_with(load + store + again + "add.u32 %r16, %r16, 1;"), "add.u32 %r16"));
  for (std::string const copy :
       {"mov.u32 %r20, %r12;", "mov.b64 %rd5, {%r13, %r12};\nmov.b64 {%r19, %r20}, %rd5;",
        "shfl.sync.bfly.b32 %r20, %r12, 1, 31, -1;",
        "setp.ge.u32 %p1, %r1, 0;\nselp.b32 %r20, %r12, %r11, %p1;"}) {
    INFO(copy);
    CHECK(fault_with(load + copy) == "none");
    CHECK(contains(fault_with(load + copy + "\nadd.u32 %r20, %r20, 1;"), "add.u32 %r20"));
  }
  CHECK(fault_with(load + "setp.ge.u32 %p1, %r1, 0;\nselp.b32 %r20, %r11, %r12, %p1;\n"
                          "add.u32 %r20, %r20, 1;") == "none");
  CHECK(contains(fault_with(load + "setp.eq.u32 %p1, %r1, 5;\nselp.b32 %r20, %r12, %r11, %p1;\n"
                                   "add.u32 %r20, %r20, 1;"),
                 "thread (5,0,0)"));
}
TEST_CASE("lanes that a mask names must come, and must not have ended") {
  std::vector<u32> array(64);
  std::string const shuffle = "shfl.sync.bfly.b32 %r8, %r1, 16, 31, -1;\n";
  std::string const half = addresses({4}) + "setp.lt.u32 %p1, %r1, 16;\n";
  CHECK(contains(
      fault_of(half + "@!%p1 bra OTHER;\n" + shuffle + "bra END;\nOTHER:\nbar.sync 0;\nEND:\nret;",
               array, {}),
      "lanes that the mask names never come to this instruction, in block (0,0,0)"));
  CHECK(contains(fault_of(half + "@!%p1 ret;\n" + shuffle + "ret;", array, {}),
                 "the mask names lanes that have ended"));
  CHECK(contains(fault_of(half + "shfl.sync.bfly.b32 %r8, %r1, 16, 31, 0xffff;\nret;", array, {}),
                 "the mask does not name its own lane"));
  CHECK(contains(
      fault_of(half + "@!%p1 bra END;\nshfl.sync.bfly.b32 %r8, %r1, 16, 31, 0xffff;\nEND:\nret;",
               array, {}),
      "shuffle from lane 16, which takes no part"));
}
TEST_CASE("a barrier to which some threads never come is a fault") {
  std::vector<u32> array(64);
  std::string const half = addresses({4}) + "setp.lt.u32 %p1, %r1, 16;\n";
  CHECK(contains(fault_of(half + "@%p1 bar.sync 0;\n@!%p1 bar.sync 1;\nret;", array, {}),
                 "barrier at which not all lanes of the warp arrive"));
  CHECK(contains(fault_of(addresses({4}) + "bar.sync 0, 64;\nret;", array, {}),
                 "threads of the block never come to this barrier"));
  CHECK(fault_of(half + "@%p1 barrier.sync 0;\n@!%p1 barrier.sync 0;\nret;", array, {}) == "none");
}
TEST_CASE("trap ends the kernel") {
  std::vector<u32> array(64);
  CHECK(contains(fault_of(addresses({4}) + "trap;", array, {}),
                 "trap, in block (0,0,0) thread (0,0,0)"));
}
TEST_CASE("an instruction that is not known is named, with its line") {
  std::vector<u32> array(64);
  auto const error_of = [&](std::string const& body) {
    return fault_of(addresses({4}) + body, array, {});
  };
  std::string const text =
      error_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 %r1, %r2;\nret;");
  CHECK(contains(text, "the emulated GPU does not know PTX in line "));
  CHECK(contains(text, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 %r1, %r2"));
  CHECK(contains(error_of("add.rn.strange.f32 %f1, %f2, %f3;\nret;"), "this instruction.strange"));
  CHECK(contains(error_of("add.f32 %f1, %f2, %f99;\nret;"), "register %f99"));
  CHECK(contains(error_of("bra NOWHERE;\nret;"), "label NOWHERE"));
  CHECK(contains(error_of("setp.about.f32 %p1, %f1, %f2;\nret;"), "comparison ."));
  CHECK(contains(error_of("shfl.bfly.b32 %r8, %r1, 16, 31;\nret;"), "without .sync"));
  CHECK(contains(error_of("ret;\n.reg .q7 %q;"), ", \".reg .q7 %q\": "));
  CHECK(contains(error_of(".reg %q;\nret;"), "PTX in line "));
  CHECK(contains(error_of(".shared .align 4 .b8 s[x];\nret;"), "PTX in line "));
}
TEST_CASE("a kernel whose parameter has another size than the host passes is not run") {
  std::vector<u32> array(64);
  auto const error_of = [&](std::string const& bytes) {
    return fault_of(addresses({4}) + "{ .reg .pred host_argument_bytes_" + bytes + "; }\nret;",
                    array, {});
  };
  CHECK(error_of("8") == "none");
  CHECK(error_of("16") == "the parameter has 8 bytes, and the host passes 16");
}

namespace {

/// A string as a variable of the module.
std::string string_variable(std::string const& name, std::string const& text) {
  std::string s = ".global .align 1 .b8 " + name + "[" + std::to_string(text.size() + 1) + "] = {";
  for (char c : text) s += std::to_string(static_cast<int>(c)) + ", ";
  return s + "0};\n";
}
/// A call as nvcc emits it: each operand goes through a parameter of its own.
std::string call(std::string const& result, std::string const& name,
                 std::vector<std::string> const& operands) {
  std::string s = "{\n.param .b32 retval0;\n", list;
  for (std::size_t i = 0; i != operands.size(); ++i) {
    std::string const p = "param" + std::to_string(i);
    bool const number = operands[i].starts_with("%r") && !operands[i].starts_with("%rd");
    std::string const type = number ? ".b32 " : ".b64 ";
    s += ".param " + type + p + ";\nst.param" + type + " [" + p + "+0], " + operands[i] + ";\n";
    list += (i == 0 ? "" : ",\n") + p;
  }
  return s + "call.uni " + result + "\n" + name + ",\n(\n" + list + "\n);\n}\n";
}
std::string generic(std::string const& to, std::string const& name) {
  return "mov.u64 " + to + ", " + name + ";\ncvta.global.u64 " + to + ", " + to + ";\n";
}

}  // namespace

TEST_CASE("an assertion that does not hold is a fault with its file, line and expression") {
  std::string const before = ".extern .func __assertfail\n(\n.param .b64 a, .param .b64 b\n)\n;\n" +
                             string_variable("$str", "n > 3") + string_variable("$str$1", "k.cu") +
                             string_variable("name", "void k(int)");
  std::string const body =
      addresses({4}) + "setp.ne.u32 %p1, %r1, 5;\n@%p1 bra END;\n" + generic("%rd1", "$str") +
      generic("%rd2", "$str$1") + generic("%rd3", "name") + "mov.u64 %rd4, 1;\nmov.u32 %r5, 42;\n" +
      call("", "__assertfail", {"%rd1", "%rd2", "%r5", "%rd3", "%rd4"}) + "END:\nret;";
  std::vector<u32> array(64);
  ptx_program program(kernel_text(1, body, before));
  program.with(array);
  try {
    program.run();
    FAIL("no fault");
  } catch (fault const& f) {
    CHECK(f.what_kind == fault::kind::assertion);
    CHECK(
        std::string(f.what()).starts_with("k.cu:42: void k(int): assertion n > 3 failed, "
                                          "in block (0,0,0) thread (5,0,0), line "));
    CHECK(contains(f.what(), ": call.uni __assertfail, ( param0, param1"));
  }
  CHECK(message_of([&] { program.run({.threads = {5, 1, 1}}); }) == "none");
}
TEST_CASE("printf in a kernel prints the arguments of each thread, one after another") {
  std::string const before =
      ".extern .func (.param .b32 r) vprintf\n(\n.param .b64 a, .param .b64 b\n)\n;\n" +
      string_variable("format", "%d %u: %.2f %s %c %lld %*x%%\n") +
      string_variable("word", "word") + string_variable("plain", "none\n");
  std::string const body =
      addresses({4}) +
      ".local .align 8 .b8 depot[48];\nmov.u64 %rd1, depot;\n"
      "cvta.local.u64 %rd2, %rd1;\nsub.u32 %r4, %r1, 1;\n"
      "st.local.u32 [%rd1], %r4;\nst.local.u32 [%rd1+4], %r1;\n"
      "mov.f64 %rd3, 0d3FF8000000000000;\nst.local.f64 [%rd1+8], %rd3;\n" +
      generic("%rd4", "word") +
      "st.local.u64 [%rd1+16], %rd4;\nmov.u32 %r5, 113;\nst.local.u32 [%rd1+24], %r5;\n"
      "mov.u64 %rd5, -5000000000;\nst.local.u64 [%rd1+32], %rd5;\nmov.u32 %r6, 4;\n"
      "st.local.u32 [%rd1+40], %r6;\nmov.u32 %r7, 255;\nst.local.u32 [%rd1+44], %r7;\n" +
      generic("%rd6", "format") + call("(retval0),", "vprintf", {"%rd6", "%rd2"}) +
      generic("%rd7", "plain") + "mov.u64 %rd8, 0;\n" +
      call("(retval0),", "vprintf", {"%rd7", "%rd8"}) + "ret;";
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::vector<u32> array(64);
  ptx_program program(kernel_text(1, body, before));
  program.with(array).run({.threads = {2, 1, 1}, .output = file});
  std::rewind(file);
  char text[256]{};
  std::string const got(text, std::fread(text, 1, sizeof text, file));
  std::fclose(file);
  CHECK(got ==
        "-1 0: 1.50 word q -5000000000   ff%\n0 1: 1.50 word q -5000000000   ff%\nnone\nnone\n");
}
