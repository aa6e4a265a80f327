// Memory: vectors, state spaces, atomic operations, variables, calls and tables.
#include "ptx_program.hpp"

using namespace ptx;

TEST_CASE("vectors of two and four elements are loaded and stored") {
  std::vector<u32> in(4 * 32), out(4 * 32);
  for (u32 i = 0; i != in.size(); ++i) in[i] = i;
  ptx_program program(kernel_text(2, addresses({16, 16}) + R"(
    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];
    st.global.v2.u32 [%rd0], {%r7, %r6};
    st.global.v2.u32 [%rd0+8], {%r5, %r4};
    ret;)"));
  program.with(out).with(in).run();
  for (u32 i = 0; i != in.size(); ++i) CHECK(out[i] == (i ^ 3));
}
TEST_CASE("small elements are extended in wider registers") {
  std::vector<s8> const in(32, -3);
  CHECK(results<s32>("ld.global.s8 %d, [%rd1];", in)[0] == -3);
  CHECK(results<s32>("ld.global.u8 %d, [%rd1];", in)[0] == 253);
}
TEST_CASE("atomic operations of lanes happen one after another") {
  auto const run = [](std::string const& instruction, u32 start) {
    std::vector<u32> at(1, start), old(32);
    ptx_program program(
        kernel_text(2, addresses({0, 4}) + instruction + "\nst.global.u32 [%rd1], %r4;\nret;"));
    program.with(at).with(old).run();
    return std::pair(at[0], old[31]);
  };
  using pair = std::pair<u32, u32>;
  CHECK(run("atom.global.add.u32 %r4, [%rd0], 3;", 5) == pair{5 + 96, 5 + 93});
  CHECK(run("atom.global.max.s32 %r4, [%rd0], %r1;", ~0u) == pair{31, 30});
  CHECK(run("atom.global.min.u32 %r4, [%rd0], %r1;", 9) == pair{0, 0});
  CHECK(run("atom.global.inc.u32 %r4, [%rd0], 4;", 0).first == 32 % 5);
  CHECK(run("atom.global.dec.u32 %r4, [%rd0], 4;", 0).first == 3);
  CHECK(run("atom.relaxed.gpu.global.or.b32 %r4, [%rd0], %r1;", 0).first == 31);
  CHECK(run("atom.global.exch.b32 %r4, [%rd0], %r1;", 7) == pair{31, 30});
  CHECK(run("atom.global.cas.b32 %r4, [%rd0], 7, 8;", 7) == pair{8, 8});
  CHECK(run("mov.u32 %r4, 0;\nred.global.add.u32 [%rd0], 1;", 0).first == 32);
}
TEST_CASE("atomic operations combine the bits of all lanes, and one lane wins an exchange") {
  auto const run = []<class T>(std::string const& body, T start) {
    std::vector<T> at(1, start), old(32);
    std::string const b = ".b" + std::to_string(8 * sizeof(T));
    ptx_program program(kernel_text(2, addresses({0, sizeof(T)}) + ".reg " + b +
                                           " %x, %old;\ncvt.u" + b.substr(2) + ".u32 %x, %r1;\n" +
                                           body + "\nst.global" + b + " [%rd1], %old;\nret;"));
    program.with(at).with(old).run();
    return std::pair(at[0], old);
  };
  auto const check = [&]<class T>(T) {
    std::string const n = std::to_string(8 * sizeof(T));
    INFO(n << " bits");
    T const high = T(1) << (8 * sizeof(T) - 1);
    auto const of = [&](std::string const& op, std::string const& operands, T start) {
      return run("atom.global." + op + n + " %old, [%rd0], " + operands + ";", start);
    };
    CHECK(of("and.b", "%x", T(high | 31)).first == 0);
    CHECK(of("or.b", "%x", high).first == T(high | 31));
    CHECK(of("xor.b", "%x", high).first == high);
    CHECK(of("xor.b", "%x", high).second[31] == T(high ^ 31));  // 0 ^ 1 ^ ... ^ 30
    CHECK(of("min.u", "%x", high).first == 0);
    CHECK(of("max.u", "%x", high).first == high);
    CHECK(of("min.s", "%x", high).first == high);
    CHECK(of("max.s", "%x", high).first == 31);
    CHECK(of("exch.b", "%x", high).first == 31);
    CHECK(of("add.u", "%x", high).first == T(high + 496));
    auto const [winner, seen] = of("cas.b", "0, %x", T(0));
    CHECK(winner == 1);  // the exchange of lane 0 stores 0
    for (std::size_t i = 0; i != 32; ++i) CHECK(seen[i] == (i < 2 ? T(0) : T(1)));
    CHECK(run("mov.b" + n + " %old, 0;\nred.global.xor.b" + n + " [%rd0], %x;", high).first ==
          high);
    CHECK(run("mov.b" + n + " %old, 0;\nred.global.and.b" + n + " [%rd0], %x;", high).first == 0);
  };
  check(u32{});
  check(u64{});
}
TEST_CASE("atomic sums of floats and of 64 bits") {
  std::vector<float> f(1, 0.5f);
  std::vector<u64> u(1, u64{1} << 40);
  std::vector<double> d(1, 0.25);
  ptx_program program(kernel_text(3, addresses({0, 0, 0}) + R"(
    mov.f32 %f1, 0f3F800000;
    atom.global.add.f32 %f2, [%rd0], %f1;
    atom.global.add.u64 %rd5, [%rd1], 2;
    mov.f64 %rd6, 0d3FF0000000000000;
    atom.global.add.f64 %rd7, [%rd2], %rd6;
    ret;)"));
  program.with(f).with(u).with(d).run();
  CHECK(d[0] == 32.25);
  CHECK(f[0] == 32.5f);
  CHECK(u[0] == (u64{1} << 40) + 64);
}
TEST_CASE("declarations need no blanks between their words, as the inline PTX of cuda_fp16.h") {
  std::vector<u32> const in(32, 0x12345678u);
  CHECK(results<u32>("{.reg.b16 low,high;\n.reg.pred q;\n mov.b32 {low,high}, %a;\n"
                     " mov.b32 %d, {high,low};}",
                     in)[5] == 0x56781234u);
  CHECK(results<u32>(".local.align 4.b8 own[8];\nst.local.u32 [own+4], %a;\n"
                     "ld.local.u32 %d, [own+4];",
                     in)[5] == 0x12345678u);
}
TEST_CASE("each thread has its own local memory") {
  std::vector<u32> out(64);
  ptx_program program(kernel_text(1, addresses({4}) + R"(
    .local .align 8 .b8 stack[16];
    mov.u64 %rd5, stack;
    cvta.local.u64 %rd6, %rd5;
    st.local.u32 [%rd5+4], %r1;
    ld.u32 %r5, [%rd6+4];
    st.global.u32 [%rd0], %r5;
    ret;)"));
  program.with(out).run({.threads = {64, 1, 1}});
  for (u32 i = 0; i != 64; ++i) CHECK(out[i] == i);
}
TEST_CASE("shared memory has generic addresses, and a size that the launch gives") {
  std::vector<u32> out(64);
  ptx_program program(kernel_text(1, addresses({4}) + R"(
    .shared .align 4 .b8 first[8];
    mov.u64 %rd5, dynamic;
    cvta.shared.u64 %rd6, %rd5;
    mul.wide.u32 %rd7, %r1, 4;
    add.s64 %rd6, %rd6, %rd7;
    st.u32 [%rd6], %r1;
    bar.sync 0;
    mov.u32 %r6, dynamic;
    shl.b32 %r7, %r1, 2;
    sub.u32 %r7, 252, %r7;
    add.u32 %r6, %r6, %r7;
    ld.shared.u32 %r8, [%r6];
    st.global.u32 [%rd0], %r8;
    ret;)",
                                  ".extern .shared .align 16 .b8 dynamic[];"));
  program.with(out).run({.threads = {64, 1, 1}, .shared = 256});
  for (u32 i = 0; i != 64; ++i) CHECK(out[i] == 63 - i);
}
TEST_CASE("variables of a module are initialized, and tables choose branches") {
  std::vector<u32> out(32);
  ptx_program program(kernel_text(1, addresses({4}) + R"(
    rem.u32 %r5, %r1, 3;
    mul.wide.u32 %rd6, %r5, 2;
    mov.u64 %rd5, data;
    add.s64 %rd5, %rd5, %rd6;
    ld.global.u16 %h1, [%rd5];
    cvt.u32.u16 %r6, %h1;
TABLE: .branchtargets ZERO, ONE, TWO;
    brx.idx %r5, TABLE;
ZERO:
    add.u32 %r6, %r6, 1000;
    bra END;
ONE:
    add.u32 %r6, %r6, 2000;
    bra END;
TWO:
    add.u32 %r6, %r6, 3000;
END:
    st.global.u32 [%rd0], %r6;
    ret;)",
                                  ".global .align 2 .b16 data[3] = {7, 8, 9};"));
  program.with(out).run();
  for (u32 i = 0; i != 32; ++i) CHECK(out[i] == (i % 3 + 1) * 1000 + 7 + i % 3);
}
TEST_CASE("called functions have registers of their own and may return early") {
  std::vector<u32> out(32);
  ptx_program program(kernel_text(1, addresses({4}) + R"(
    { .param .b32 in; st.param.b32 [in], %r1; .param .b32 back;
    call.uni (back), limited, (in);
    ld.param.b32 %r5, [back]; }
    add.u32 %r5, %r5, %r1;
    st.global.u32 [%rd0], %r5;
    ret;)",
                                  R"(
.func (.param .b32 result) limited(.param .b32 x)
{
    .reg .b32 %r<5>; .reg .pred %p<2>;
    ld.param.u32 %r1, [x];
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra SMALL;
    mov.u32 %r2, 10;
    st.param.b32 [result], %r2;
    ret;
SMALL:
    st.param.b32 [result], %r1;
    ret;
})"));
  program.with(out).run();
  for (u32 i = 0; i != 32; ++i) CHECK(out[i] == std::min(i, 10u) + i);
}
TEST_CASE("an asynchronous copy to shared memory fills the rest with zeros") {
  std::vector<u32> in(4 * 32, 5), out(4 * 32);
  ptx_program program(kernel_text(2, addresses({16, 16}) + R"(
    .shared .align 16 .b8 s[512];
    mov.u32 %r5, s;
    shl.b32 %r6, %r1, 4;
    add.u32 %r5, %r5, %r6;
    cp.async.ca.shared.global [%r5], [%rd1], 16, 8;
    cp.async.commit_group;
    cp.async.wait_group 0;
    ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r5];
    st.global.v4.u32 [%rd0], {%r7, %r8, %r9, %r10};
    ret;)"));
  program.with(out).with(in).run();
  for (u32 i = 0; i != out.size(); ++i) CHECK(out[i] == (i % 4 < 2 ? 5 : 0));
}
