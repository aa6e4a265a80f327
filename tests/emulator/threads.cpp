// What threads do together: barriers, shuffles, votes, divergence, waiting for others.
#include "ptx_program.hpp"

#include <algorithm>
#include <numeric>

using namespace ptx;

namespace {

/// Runs a body in one block. It reads %r10 from p1 and leaves its result in %r11.
std::vector<u32> in_block(std::string const& body, std::vector<u32> in,
                          std::string const& before = "") {
  std::vector<u32> out(in.size());
  ptx_program program(kernel_text(2,
                                  addresses({4, 4}) + "ld.global.u32 %r10, [%rd1];\n" + body +
                                      "\nst.global.u32 [%rd0], %r11;\nret;",
                                  before));
  program.with(out).with(in).run({.threads = {static_cast<u32>(in.size()), 1, 1}});
  return out;
}
std::vector<u32> numbers(std::size_t n) {
  std::vector<u32> all(n);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

TEST_CASE("a shuffle reads from the lane of each mode, within its segment") {
  std::vector<u32> const in = numbers(32);
  auto const down = in_block("shfl.sync.down.b32 %r11, %r10, 3, 31, -1;", in);
  auto const up = in_block("shfl.sync.up.b32 %r11, %r10, 3, 0, -1;", in);
  auto const across = in_block("shfl.sync.bfly.b32 %r11, %r10, 5, 31, -1;", in);
  auto const from = in_block("shfl.sync.idx.b32 %r11, %r10, 9, 31, -1;", in);
  // segments of 8 lanes: the mask of the segment is 0x18
  auto const segment = in_block("shfl.sync.down.b32 %r11, %r10, 3, 0x1807, -1;", in);
  auto const inside =
      in_block("shfl.sync.down.b32 %r12|%p1, %r10, 3, 0x1807, -1;\nselp.u32 %r11, 1, 0, %p1;", in);
  auto const up_in = in_block("shfl.sync.up.b32 %r11, %r10, 3, 0x1800, -1;", in);
  auto const up_inside =
      in_block("shfl.sync.up.b32 %r12|%p1, %r10, 3, 0x1800, -1;\nselp.u32 %r11, 1, 0, %p1;", in);
  auto const across_in = in_block("shfl.sync.bfly.b32 %r11, %r10, 5, 0x1807, -1;", in);
  auto const from_in = in_block("shfl.sync.idx.b32 %r11, %r10, 10, 0x1807, -1;", in);
  for (u32 i = 0; i != 32; ++i) {
    CHECK(down[i] == (i + 3 < 32 ? i + 3 : i));
    CHECK(up[i] == (i >= 3 ? i - 3 : i));
    CHECK(across[i] == (i ^ 5));
    CHECK(from[i] == 9);
    CHECK(segment[i] == (i % 8 + 3 < 8 ? i + 3 : i));
    CHECK(inside[i] == u32{i % 8 + 3 < 8});
    CHECK(up_in[i] == (i % 8 >= 3 ? i - 3 : i));
    CHECK(up_inside[i] == u32{i % 8 >= 3});
    CHECK(across_in[i] == (i ^ 5));
    CHECK(from_in[i] == i / 8 * 8 + 2);
  }
}
TEST_CASE("a shuffle of a part of a warp has the lanes of its mask") {
  auto const out = in_block(
      "setp.lt.u32 %p1, %r10, 16;\nmov.u32 %r11, 7;\n@!%p1 bra DONE;\n"
      "shfl.sync.bfly.b32 %r11, %r10, 8, 31, 0xffff;\nDONE:",
      numbers(32));
  for (u32 i = 0; i != 32; ++i) CHECK(out[i] == (i < 16 ? (i ^ 8) : 7));
}
TEST_CASE("votes, matches and reductions of a warp") {
  std::vector<u32> in = numbers(32);
  for (u32& x : in) x %= 3;
  auto const ballot =
      in_block("setp.eq.u32 %p1, %r10, 1;\nvote.sync.ballot.b32 %r11, %p1, -1;", in);
  auto const all = in_block(
      "setp.lt.u32 %p1, %r10, 3;\nvote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r11, 1, 0, %p2;", in);
  auto const any = in_block(
      "setp.gt.u32 %p1, %r10, 1;\nvote.sync.any.pred %p2, !%p1, -1;\nselp.u32 %r11, 1, 0, %p2;",
      in);
  auto const match = in_block("match.any.sync.b32 %r11, %r10, -1;", in);
  auto const match_all = in_block("match.all.sync.b32 %r11|%p1, %r10, -1;", in);
  auto const sum = in_block("redux.sync.add.u32 %r11, %r10, -1;", in);
  auto const most = in_block("redux.sync.max.s32 %r11, %r10, -1;", in);
  auto const active = in_block("activemask.b32 %r11;", in);
  u32 ones = 0;
  for (u32 i = 0; i != 32; ++i) ones |= u32{in[i] == 1} << i;
  for (u32 i = 0; i != 32; ++i) {
    CHECK(ballot[i] == ones);
    CHECK(all[i] == 1);
    CHECK(any[i] == 1);
    CHECK((match[i] >> i & 1) == 1);
    if (in[i] == 1) CHECK(match[i] == ones);
    CHECK(match_all[i] == 0);
    CHECK(sum[i] == std::accumulate(in.begin(), in.end(), 0u));
    CHECK(most[i] == 2);
    CHECK(active[i] == ~0u);
  }
}
TEST_CASE("a vote whether all agree, and matches of 64 bits") {
  std::string const choose = "\nselp.u32 %r11, 1, 0, %p2;";
  auto const agree = [&](u32 below) {
    return in_block("setp.lt.u32 %p1, %r10, " + std::to_string(below) +
                        ";\nvote.sync.uni.pred %p2, %p1, -1;" + choose,
                    numbers(32))[7];
  };
  CHECK(agree(0) == 1);
  CHECK(agree(9) == 0);
  CHECK(agree(32) == 1);
  // the upper halves differ between lanes of three groups
  std::string const wide = "rem.u32 %r12, %r10, 3;\nmov.b64 %rd5, {%r3, %r12};\n";
  auto const any = in_block(wide + "match.any.sync.b64 %r11, %rd5, -1;", numbers(32));
  auto const all = in_block(wide + "match.all.sync.b64 %r11|%p2, %rd5, -1;", numbers(32));
  auto const same = in_block(
      "mov.b64 %rd5, {%r10, %r3};\nmatch.all.sync.b64 %r11|%p2, %rd5, -1;"
      "\n@!%p2 mov.u32 %r11, 5;",
      std::vector<u32>(32, 3));
  for (u32 i = 0; i != 32; ++i) {
    u32 group = 0;
    for (u32 k = i % 3; k < 32; k += 3) group |= 1u << k;
    CHECK(any[i] == group);
    CHECK(all[i] == 0);
    CHECK(same[i] == ~0u);
  }
}
TEST_CASE("reductions of a warp, of the lanes of a mask") {
  std::vector<u32> in = numbers(32);
  for (u32& x : in) x = (x + 5) * 0x9e3779b9u;
  auto const check = [&](std::string const& op, auto start, auto const& f) {
    INFO(op);
    auto const all = in_block("redux.sync." + op + " %r11, %r10, -1;", in);
    auto const half = in_block("mov.u32 %r11, 7;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 redux.sync." +
                                   op + " %r11, %r10, 0xffff;",
                               in);
    auto of_all = start, of_half = start;
    for (u32 i = 0; i != 32; ++i) {
      auto const x = static_cast<decltype(start)>(in[i]);
      of_all = f(of_all, x);
      if (i < 16) of_half = f(of_half, x);
    }
    for (u32 i = 0; i != 32; ++i) {
      CHECK(all[i] == static_cast<u32>(of_all));
      CHECK(half[i] == (i < 16 ? static_cast<u32>(of_half) : 7));
    }
  };
  check("add.s32", u32{}, [](u32 a, u32 b) { return a + b; });
  check("min.u32", ~u32{}, [](u32 a, u32 b) { return std::min(a, b); });
  check("max.u32", u32{}, [](u32 a, u32 b) { return std::max(a, b); });
  check("min.s32", INT32_MAX, [](s32 a, s32 b) { return std::min(a, b); });
  check("max.s32", INT32_MIN, [](s32 a, s32 b) { return std::max(a, b); });
  check("and.b32", ~u32{}, [](u32 a, u32 b) { return a & b; });
  check("or.b32", u32{}, [](u32 a, u32 b) { return a | b; });
  check("xor.b32", u32{}, [](u32 a, u32 b) { return a ^ b; });
}
TEST_CASE("lanes that diverge compute their own branches and meet again") {
  auto const out = in_block(R"(
    mov.u32 %r11, 0;
    rem.u32 %r12, %r10, 5;
    mov.u32 %r13, 0;
LOOP:
    setp.ge.u32 %p1, %r13, %r12;
    @%p1 bra END;
    and.b32 %r14, %r13, 1;
    setp.eq.u32 %p2, %r14, 0;
    @%p2 bra EVEN;
    add.u32 %r11, %r11, 100;
    bra NEXT;
EVEN:
    add.u32 %r11, %r11, 1;
NEXT:
    add.u32 %r13, %r13, 1;
    bra LOOP;
END:
    shfl.sync.bfly.b32 %r15, %r11, 1, 31, -1;
    add.u32 %r11, %r11, %r15;)",
                            numbers(64));
  auto const own = [](u32 i) { return (i % 5 + 1) / 2 + i % 5 / 2 * 100; };
  for (u32 i = 0; i != 64; ++i) CHECK(out[i] == own(i) + own(i ^ 1));
}
TEST_CASE("a barrier orders shared memory between the warps of a block") {
  auto const out = in_block(R"(
    .shared .align 4 .b8 s[1024];
    mov.u32 %r12, s;
    shl.b32 %r13, %r1, 2;
    add.u32 %r14, %r12, %r13;
    st.shared.u32 [%r14], %r10;
    bar.sync 0;
    xor.b32 %r15, %r13, 1020;
    add.u32 %r15, %r15, %r12;
    ld.shared.u32 %r11, [%r15];)",
                            numbers(256));
  for (u32 i = 0; i != 256; ++i) CHECK(out[i] == 255 - i);
}
TEST_CASE("a barrier counts votes, and one of some warps waits only for those") {
  auto const count =
      in_block("setp.lt.u32 %p1, %r10, 70;\nbar.red.popc.u32 %r11, 0, %p1;", numbers(128));
  for (u32 x : count) CHECK(x == 70);
  auto const all = in_block(
      "setp.lt.u32 %p1, %r10, 70;\nbar.red.and.pred %p2, 0, %p1;\nselp.u32 %r11, 1, 0, %p2;",
      numbers(128));
  for (u32 x : all) CHECK(x == 0);
  auto const votes = [](std::string const& op, u32 below) {
    return in_block("setp.lt.u32 %p1, %r10, " + std::to_string(below) + ";\nbar.red." + op +
                        ".pred %p2, 0, %p1;\nselp.u32 %r11, 1, 0, %p2;",
                    numbers(128));
  };
  for (u32 below : {0u, 1u, 127u, 128u}) {
    CHECK(votes("or", below) == std::vector<u32>(128, u32{below != 0}));
    CHECK(votes("and", below) == std::vector<u32>(128, u32{below == 128}));
  }
  // the last warp does not come
  auto const some = in_block(
      "mov.u32 %r11, 1;\nsetp.ge.u32 %p1, %r10, 96;\n@%p1 bra END;\nbar.sync 1, 96;\n"
      "mov.u32 %r11, 2;\nEND:",
      numbers(128));
  for (u32 i = 0; i != 128; ++i) CHECK(some[i] == (i < 96 ? 2 : 1));
}
TEST_CASE("lanes of one warp may wait for each other's lock") {
  std::vector<u32> out(1), lock(1);
  ptx_program program(kernel_text(2, R"(
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;
    ld.param.u64 %rd0, [p0];
    ld.param.u64 %rd1, [p1];
    mov.u32 %r4, 0;
TRY:
    setp.ne.u32 %p1, %r4, 0;
    @%p1 bra END;
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p2, %r1, 0;
    @%p2 bra TRY;
    ld.volatile.global.u32 %r2, [%rd0];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd0], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd1], 0;
    mov.u32 %r4, 1;
    bra TRY;
END:
    ret;)"));
  program.with(out).with(lock).run({.threads = {64, 1, 1}});
  CHECK(out[0] == 64);
  program.run({.grid = {16, 1, 1}, .threads = {64, 1, 1}, .host_threads = 4});
  CHECK(out[0] == 17 * 64);
}
TEST_CASE("a block may wait for a later one, as blocks of a GPU that are resident together") {
  std::vector<u32> flag(1), out(8);
  ptx_program program(kernel_text(2, addresses({0, 4}) + R"(
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra SET;
WAIT:
    ld.acquire.gpu.global.u32 %r5, [%rd0];
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra WAIT;
    bra DONE;
SET:
    atom.global.exch.b32 %r5, [%rd0], 1;
DONE:
    mov.u32 %r6, 5;
    st.global.u32 [%rd1], %r6;
    ret;)"));
  program.with(flag).with(out).run({.grid = {8, 1, 1}, .threads = {1, 1, 1}});
  CHECK(out == std::vector<u32>(8, 5));
}
TEST_CASE("several threads of the host run blocks, which wait for all others") {
  constexpr u32 blocks = 100;  // more than one thread puts aside
  std::vector<u32> arrived(1), out(blocks * 32);
  ptx_program program(kernel_text(2, addresses({0, 4}) + R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra NEXT;
    ld.param.u64 %rd3, [p0];
    red.global.add.u32 [%rd3], 1;
WAIT:
    ld.acquire.gpu.global.u32 %r5, [%rd3];
    setp.lt.u32 %p2, %r5, 100;
    @%p2 bra WAIT;
NEXT:
    bar.sync 0;
    st.global.u32 [%rd1], %r5;
    ret;)"));
  statistics const all =
      program.with(arrived).with(out).run({.grid = {blocks, 1, 1}, .host_threads = 4});
  CHECK(all.launches == 1);
  CHECK(all.blocks == blocks);
  CHECK(arrived[0] == blocks);
  for (u32 i = 0; i != blocks; ++i) CHECK(out[i * 32] == blocks);
}
TEST_CASE("a fault ends the blocks of all threads of the host, also those that wait for others") {
  std::vector<u32> flag(1), out(64);
  ptx_program program(kernel_text(2, addresses({0, 4}) + R"(
    ld.param.u64 %rd3, [p0];
    setp.eq.u32 %p1, %r2, 5;
    @%p1 trap;
WAIT:
    ld.volatile.global.u32 %r5, [%rd3];
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra WAIT;
    ret;)"));
  program.with(flag).with(out);
  for (unsigned threads : {1u, 3u}) {
    std::string const text =
        message_of([&] { program.run({.grid = {8, 1, 1}, .host_threads = threads}); });
    CHECK(contains(text, "trap, in block (5,0,0)"));
  }
}
TEST_CASE("blocks start in any order, each once") {
  for (block_order order : {block_order::last_first, block_order::first_last, block_order::random})
    for (u32 blocks : {1u, 2u, 7u, 64u, 1000u}) {
      std::vector<u32> out(blocks), place(blocks), next(1);
      ptx_program program(kernel_text(3, addresses({4, 4, 0}) + R"(
        ld.global.u32 %r5, [%rd0];
        add.u32 %r5, %r5, 1;
        st.global.u32 [%rd0], %r5;
        atom.global.add.u32 %r6, [%rd2], 1;
        st.global.u32 [%rd1], %r6;
        ret;)"));
      program.with(out).with(place).with(next).run(
          {.grid = {blocks, 1, 1}, .threads = {1, 1, 1}, .order = order});
      CHECK(out == std::vector<u32>(blocks, 1));
      CHECK(next[0] == blocks);
      if (blocks != 1000) continue;
      bool const sorted = std::is_sorted(place.begin(), place.end());
      CHECK(sorted == (order == block_order::first_last));
      bool const reversed = std::is_sorted(place.rbegin(), place.rend());
      CHECK(reversed == (order == block_order::last_first));
    }
}
TEST_CASE("threads and blocks have their numbers in three dimensions") {
  std::vector<u32> out(2 * 3 * 4 * 5);
  ptx_program program(kernel_text(1, R"(
    .reg .b32 %r<20>; .reg .b64 %rd<9>;
    mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mov.u32 %r5, %tid.z; mov.u32 %r6, %ntid.x; mov.u32 %r7, %tid.x;
    mad.lo.u32 %r8, %r5, %r6, %r7;
    mad.lo.u32 %r9, %r4, 20, %r8;
    ld.param.u64 %rd1, [p0];
    mul.wide.u32 %rd2, %r9, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r9;
    ret;)"));
  program.with(out).run({.grid = {2, 3, 1}, .threads = {5, 1, 4}});
  CHECK(out == numbers(120));
}
TEST_CASE("the masks of lanes name those below and above") {
  auto const lt = in_block("mov.u32 %r11, %lanemask_lt;", numbers(32));
  auto const ge = in_block("mov.u32 %r11, %lanemask_ge;", numbers(32));
  auto const lane = in_block("mov.u32 %r11, %laneid;", numbers(64));
  for (u32 i = 0; i != 32; ++i) {
    CHECK(lt[i] == (1u << i) - 1);
    CHECK(ge[i] == ~((1u << i) - 1));
    CHECK(lane[32 + i] == i);
  }
}
