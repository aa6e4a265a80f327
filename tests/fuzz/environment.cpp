// Fuzzes the environment variables and the lists of visible GPUs with any text.
#include <placement/device/environment.hpp>
#include <placement/device/visibility.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace placement;

constexpr int gpus = 5;

[[noreturn]] void stop(char const* what, std::string const& text) {
  std::fprintf(stderr, "%s: '%s'\n", what, detail::escaped(text).c_str());
  std::abort();
}

void check(bool fact, char const* what, std::string const& text) {
  if (!fact) stop(what, text);
}

std::vector<std::string> pieces_of(std::string const& text) {
  std::vector<std::string> all(1);
  for (char c : text) {
    if (c == ',') all.emplace_back();
    else all.back() += c;
  }
  return all;
}

/// The number at the start of a piece, or -1 if it is no GPU. Works on strings instead of numbers.
int gpu_at_start(std::string piece) {
  piece.erase(0, std::min(piece.find_first_not_of(" \t"), piece.size()));
  if (!piece.empty() && piece[0] == '+') piece.erase(0, 1);
  piece.erase(std::min(piece.find_first_not_of("0123456789"), piece.size()));
  if (piece.empty()) return -1;
  piece.erase(0, std::min(piece.find_first_not_of('0'), piece.size() - 1));
  return piece.size() == 1 && piece[0] < '0' + gpus ? piece[0] - '0' : -1;
}

int gpu_of_uuid(std::string const& piece, std::vector<std::string> const& uuids) {
  int found = -1, count = 0;
  for (std::size_t i = 0; i != uuids.size(); ++i)
    if (uuids[i].starts_with(piece)) {
      found = static_cast<int>(i);
      ++count;
    }
  return count == 1 ? found : -1;
}

/// A second implementation of CUDA_VISIBLE_DEVICES.
std::vector<int> oracle(std::string const& text, std::vector<std::string> const& uuids) {
  std::vector<int> all;
  bool const by_uuid = text.substr(0, 4) == "GPU-";
  for (std::string const& piece : pieces_of(text)) {
    int gpu = -1;
    if (!by_uuid) gpu = gpu_at_start(piece);
    else if (piece.substr(0, 4) == "GPU-") gpu = gpu_of_uuid(piece, uuids);
    if (gpu < 0) return all;
    for (int before : all)
      if (before == gpu) return {};
    all.push_back(gpu);
  }
  return all;
}

void check_visible(std::string const& text) {
  static std::vector<std::string> const uuids = {"GPU-aa", "GPU-ab", "GPU-b0", "GPU-b1", "GPU-c"};
  check(visible_by_environment(text, uuids) == oracle(text, uuids), "CUDA_VISIBLE_DEVICES", text);
  try {
    std::vector<int> const list = visible_by_list(text, gpus);
    std::set<int> const different(list.begin(), list.end());
    check(different.size() == list.size(), "duplicates", text);
    check(text.empty() || list.size() == pieces_of(text).size(), "entries", text);
    for (int gpu : list) check(gpu >= 0 && gpu < gpus, "index", text);
    if (!text.empty()) check(visible_by_environment(text, uuids) == list, "both lists", text);
  } catch (invalid_argument const& e) {
    check(std::string(e.what()).size() < 1000, "long message", text);
  }
}

void check_bounds(environment const& env, std::string const& text) {
  check(env.simulated_gpus.value_or(0) >= 0 && env.simulated_gpus.value_or(0) <= 64, "gpus", text);
  check(env.simulated_gpu_memory.value_or(1) > 0, "memory", text);
  check(env.log.value_or(0) >= 0 && env.log.value_or(0) <= 3, "log", text);
  check(env.log_format.value_or(0) >= 0 && env.log_format.value_or(0) <= 3, "format", text);
  check(env.transfers.value_or(0) >= 0 && env.transfers.value_or(0) <= 2, "transfers", text);
  check(env.cpu_level.value_or(0) >= 0 && env.cpu_level.value_or(0) <= 2, "level", text);
  for (auto const& count : {env.intra_op_threads, env.inter_op_threads})
    check(count.value_or(0) >= 0 && count.value_or(0) <= 4096, "threads", text);
}

/// Checks that a parsed number prints as its original text.
void check_exact(environment const& env, std::string text) {
  std::string const digits = text.substr(0, text.find_first_not_of("0123456789"));
  std::string bare = digits;
  while (bare.size() > 1 && bare[0] == '0') bare.erase(0, 1);
  for (auto const& count : {env.simulated_gpus, env.intra_op_threads, env.inter_op_threads})
    if (count) check(std::to_string(*count) == bare, "number", text);
  if (auto const& size = env.simulated_gpu_memory) {
    std::string const unit = text.substr(digits.size());
    std::size_t const factor = unit == "KiB"   ? std::size_t{1} << 10
                               : unit == "MiB" ? std::size_t{1} << 20
                               : unit == "GiB" ? std::size_t{1} << 30
                               : unit == "TiB" ? std::size_t{1} << 40
                                               : std::size_t{1};
    check(factor != 1 || unit.empty(), "unit", text);
    check(*size % factor == 0 && std::to_string(*size / factor) == bare, "size", text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string const text(reinterpret_cast<char const*>(data + 1), size - 1);
  check_visible(text);
  auto const which = static_cast<variable>(data[0] % variable_count);
  environment_texts texts;
  texts.of[static_cast<std::size_t>(which)] = text;
  try {
    environment const env = read_environment(texts);
    check_bounds(env, text);
    check_exact(env, text);
  } catch (invalid_argument const& e) {
    std::string const message = e.what();
    check(which != variable::cuda_visible_devices, "never malformed", text);
    check(message.find(name_of(which)) != std::string::npos, "variable in the message", text);
    for (char c : message) check(c >= 0x20 && c <= 0x7e, "escaped message", text);
  }
  return 0;
}
