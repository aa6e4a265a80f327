#pragma once
/// The CPU as a platform: one device, with the host's memory.

#include <placement/config.hpp>
#include <placement/device/platform.hpp>
#include <placement/runtime/virtual_memory.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The processor's name in a text such as /proc/cpuinfo; "CPU" if the text has none.
inline std::string processor_name(std::string_view text) {
  constexpr std::string_view key = "model name";
  std::size_t const line = text.find(key);
  if (line == std::string_view::npos) return "CPU";
  text = text.substr(line, text.find('\n', line) - line);
  std::size_t const colon = text.find(": ");
  return colon == std::string_view::npos ? "CPU" : std::string(text.substr(colon + 2));
}

/// The first 4 KiB of a file; empty if it cannot be read.
inline std::string file_start(char const* path) {
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return {};
  char text[4096];
  std::size_t const size = std::fread(text, 1, sizeof text, file);
  std::fclose(file);
  return {text, size};
}

}  // namespace detail

/// The host's processors as one device. Work given to its queue runs immediately.
class cpu_platform final : public platform {
 public:
  kind type() const noexcept override { return kind::cpu; }
  bool simulated() const noexcept override { return false; }
  int count() noexcept override { return 1; }

  hardware describe(int) override {
    hardware about;
    about.name = detail::processor_name(detail::file_start("/proc/cpuinfo"));
    about.machine_index = 0;
    about.memory_bytes = memory(0).total;
    return about;
  }

  memory_info memory(int) noexcept override {
    auto const pages = [](int what) {
      long const n = ::sysconf(what);
      return n < 0 ? std::size_t{0} : static_cast<std::size_t>(n) * detail::page_bytes();
    };
    return {pages(_SC_AVPHYS_PAGES), pages(_SC_PHYS_PAGES)};
  }

  void* reserve(int, std::size_t bytes) override { return detail::reserve_pages("/CPU:0", bytes); }
  void commit(int, void* base, std::size_t offset, std::size_t bytes) override {
    if (!detail::commit_pages(base, {offset, bytes})) detail::throw_no_host_memory("/CPU:0", bytes);
  }
  void decommit(int, void* base, std::size_t offset, std::size_t bytes) noexcept override {
    detail::decommit_pages(base, {offset, bytes});
  }
  void release(int, void* base, std::size_t bytes) noexcept override {
    detail::release_pages(base, bytes);
  }
  void retire(queue, void*, std::size_t) noexcept override {}

  queue open_queue(int ordinal) override { return {ordinal, nullptr}; }
  void close_queue(queue) noexcept override {}
  void copy(queue, endpoint to, endpoint from, std::size_t bytes) override {
    if (bytes != 0) std::memmove(to.address, from.address, bytes);
  }
  event record(queue) override { return {}; }
  void wait(queue, event) override {}
  void synchronise(queue) override {}
};

/// The CPU platform of this process.
PLACEMENT_PROCESS_STATE inline cpu_platform& cpu_of_process() {
  static cpu_platform& cpu = *new cpu_platform;
  return cpu;
}

}}  // namespace placement::v0_1
