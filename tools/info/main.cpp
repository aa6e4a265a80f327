/// placement-info: what this build of placement is, which devices it finds, and whether they
/// compute.

#include "report.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace {

constexpr char const* usage =
    "usage: placement-info [--json]\n"
    "\n"
    "Prints the version of placement, this build's compiler and settings, CUDA, the environment\n"
    "variables of the library that are set, and the devices. Each device computes three ops, which\n"
    "are compared with plain loops.\n"
    "\n"
    "  --json     print JSON\n"
    "  --version  print the version of placement\n"
    "  --help     print this text\n"
    "\n"
    "Ends with 0 if every device computes, 1 if one does not, 2 for an unknown option.\n";

/// Writes to standard output. Whether all of it was written.
bool print(std::string const& text) {
  bool const written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

int status_of_print(std::string const& text, int status) {
  if (print(text)) return status;
  std::perror("placement-info: standard output");
  return 1;
}

int print_report(std::string (*form)(info_report const&)) {
  info_report const report = make_report();
  return status_of_print(form(report), report.every_device_computes() ? 0 : 1);
}

int usage_error(std::string_view option) {
  std::fprintf(stderr, "placement-info: unknown option '%.*s'\n%s", static_cast<int>(option.size()),
               option.data(), usage);
  return 2;
}

}  // namespace

int main(int count, char** arguments) try {
  bool json = false;
  for (int i = 1; i < count; ++i) {
    std::string_view const option = arguments[i];
    if (option == "--help" || option == "-h") return status_of_print(usage, 0);
    if (option == "--version") return status_of_print("placement " + placement_version() + '\n', 0);
    if (option != "--json") return usage_error(option);
    json = true;
  }
  return print_report(json ? to_json : to_text);
} catch (std::exception const& e) {
  std::fprintf(stderr, "placement-info: %s\n", e.what());
  return 1;
}
