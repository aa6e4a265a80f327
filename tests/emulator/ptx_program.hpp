#pragma once
/// Runs kernels that a test gives as PTX.

#include <emulator.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// A module with one kernel `k`. Its parameters are p0, p1, ... of 64 bits.
inline std::string kernel_text(std::size_t params, std::string const& body,
                               std::string const& before = "") {
  std::string list;
  for (std::size_t i = 0; i != params; ++i)
    list += std::string(i == 0 ? "" : ", ") + ".param .u64 p" + std::to_string(i);
  return ".version 9.0\n.target sm_80\n.address_size 64\n" + before + "\n.visible .entry k(" +
         list + ")\n{\n" + body + "\n}\n";
}

struct launch_settings {
  ptx::dimensions grid{1, 1, 1}, threads{32, 1, 1};
  ptx::u32 shared = 0;
  bool races = false;
  ptx::initialized_bytes* initialized = nullptr;
  ptx::block_order order = ptx::block_order::last_first;
  unsigned host_threads = 1;
  std::FILE* output = stdout;
};

/// A kernel, and arrays that its parameters are the addresses of.
class ptx_program {
 public:
  explicit ptx_program(std::string text) : module_(std::move(text)) {}

  template <class T> ptx_program& with(std::vector<T>& array) {
    auto const at = reinterpret_cast<ptx::u64>(array.data());
    params_.push_back(at);
    ranges_.push_back({at, at + array.size() * sizeof(T)});
    return *this;
  }
  ptx_program& with_value(ptx::u64 value) {
    params_.push_back(value);
    return *this;
  }
  ptx::statistics run(launch_settings const& how = {}) {
    module_.each_variable([&](ptx::u64 at, std::size_t n) { ranges_.push_back({at, at + n}); });
    ptx::kernel const& k = module_.find("k");
    ptx::reachable_memory const memory(ranges_);
    ptx::block_races races;
    ptx::statistics stats;
    ptx::run({.code = k,
              .memory = memory,
              .params = params_,
              .grid = how.grid,
              .threads = how.threads,
              .dynamic_shared_bytes = how.shared,
              .host_threads = how.host_threads,
              .instructions_alone = 0,
              .initialized = how.initialized,
              .races = how.races ? &races : nullptr,
              .output = how.output},
             stats, how.order, 1);
    return stats;
  }

 private:
  ptx::module module_;
  std::vector<ptx::u64> params_;
  std::vector<ptx::range> ranges_;
};

/// The message of the error that f() throws; "none" without.
inline std::string message_of(std::function<void()> const& f) {
  try {
    f();
  } catch (std::exception const& e) { return e.what(); }
  return "none";
}
inline bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

/// PTX that puts the number of the thread in the grid into %r0, and p0 + bytes * number into %rd0,
/// p1 + ... into %rd1 and so on.
inline std::string addresses(std::vector<std::size_t> const& bytes) {
  std::string s =
      ".reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .pred %p<10>;\n.reg .f32 %f<10>;\n"
      ".reg .b16 %h<10>;\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
      "mad.lo.s32 %r0, %r2, %r3, %r1;\n";
  for (std::size_t i = 0; i != bytes.size(); ++i) {
    std::string const n = std::to_string(i);
    s += "ld.param.u64 %rd" + n + ", [p" + n + "];\nmul.wide.u32 %rd39, %r0, " +
         std::to_string(bytes[i]) + ";\nadd.s64 %rd" + n + ", %rd" + n + ", %rd39;\n";
  }
  return s;
}

/// The results of an instruction with sources of these types, for each combination of the operands:
/// results<u32>("add.s32 %d, %a, %b;", a, b). The arrays have one length.
template <class D, class... S>
std::vector<D> results(std::string const& instructions, std::vector<S>... source) {
  std::vector<std::size_t> const bytes{sizeof(D), sizeof(S)...};
  std::string body = addresses(bytes);
  std::string const names = "dabce";
  auto const bits = [](std::size_t n) { return ".b" + std::to_string(8 * n); };
  for (std::size_t i = 0; i != bytes.size(); ++i) {
    std::string const name = std::string("%") + names[i];
    body += ".reg " + bits(bytes[i]) + " " + name + ";\n";
    if (i != 0)
      body += "ld.global" + bits(bytes[i]) + " " + name + ", [%rd" + std::to_string(i) + "];\n";
  }
  body += instructions + "\nst.global" + bits(sizeof(D)) + " [%rd0], %d;\nret;";
  std::size_t const count = std::get<0>(std::tie(source...)).size();
  std::vector<D> all(count);
  ptx_program program(kernel_text(bytes.size(), body));
  program.with(all);
  (program.with(source), ...);
  auto const threads = static_cast<ptx::u32>(count);
  REQUIRE(threads % 32 == 0);  // no thread is outside of the arrays
  program.run({.grid = {threads / 32, 1, 1}});
  return all;
}

/// Values at the edges of a type.
template <class T> std::vector<T> edges() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return {T(0),
            -T(0),
            T(1),
            -T(1),
            T(0.5),
            T(1) / 3,
            T(-7.25),
            limits::min(),
            -limits::min(),
            limits::denorm_min(),
            limits::max(),
            limits::lowest(),
            limits::epsilon(),
            limits::infinity(),
            -limits::infinity(),
            limits::quiet_NaN()};
  else
    return {T(0),
            T(1),
            T(2),
            T(3),
            T(7),
            T(31),
            T(32),
            T(63),
            T(64),
            limits::max(),
            T(limits::max() - 1),
            limits::min(),
            T(limits::min() + 1),
            T(-1),
            T(-7),
            T(limits::max() / 3)};
}
/// All pairs of the values, in two arrays. The 16 values above give 256 pairs.
template <class T, class U> struct pairs_of {
  std::vector<T> a;
  std::vector<U> b;
  pairs_of(std::vector<T> const& x, std::vector<U> const& y) {
    for (T p : x)
      for (U q : y) a.push_back(p), b.push_back(q);
  }
};
/// Whether two values have the same bits, or both are NaN.
template <class T> bool same(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (x != x || y != y) return x != x && y != y;
  return std::memcmp(&x, &y, sizeof x) == 0;
}

/// Compares an instruction of one or two operands with a function, on all edges.
template <class D, class T, class F> void check_unary(std::string const& instruction, F const& f) {
  INFO(instruction);
  std::vector<T> a = edges<T>();
  a.insert(a.end(), a.begin(), a.end());
  auto const got = results<D>(instruction + " %d, %a;", a);
  for (std::size_t i = 0; i != a.size(); ++i) {
    INFO("of " << +a[i] << ": " << +got[i] << ", not " << +f(a[i]));
    CHECK(same(got[i], static_cast<D>(f(a[i]))));
  }
}
template <class D, class T, class U = T, class F>
void check_binary(std::string const& instruction, F const& f) {
  INFO(instruction);
  pairs_of<T, U> const p(edges<T>(), edges<U>());
  auto const got = results<D>(instruction + " %d, %a, %b;", p.a, p.b);
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    INFO("of " << +p.a[i] << " and " << +p.b[i] << ": " << +got[i]);
    CHECK(same(got[i], static_cast<D>(f(p.a[i], p.b[i]))));
  }
}
/// Three operands: all pairs, each with some of the edges as the third one.
template <class D, class T, class C = T, class F>
void check_ternary(std::string const& instruction, F const& f) {
  INFO(instruction);
  pairs_of<T, T> const p(edges<T>(), edges<T>());
  std::vector<C> const thirds = edges<C>();
  for (std::size_t shift : {0u, 5u, 11u}) {
    std::vector<C> c(p.a.size());
    for (std::size_t i = 0; i != c.size(); ++i) c[i] = thirds[(i + i / 16 + shift) % 16];
    auto const got = results<D>(instruction + " %d, %a, %b, %c;", p.a, p.b, c);
    for (std::size_t i = 0; i != c.size(); ++i) {
      INFO("of " << +p.a[i] << ", " << +p.b[i] << " and " << +c[i] << ": " << +got[i]);
      CHECK(same(got[i], static_cast<D>(f(p.a[i], p.b[i], c[i]))));
    }
  }
}
