// A profiler for tests: NVTX loads it by NVTX_INJECTION64_PATH. It notes each range of a domain.
#include <nvtx3/nvToolsExt.h>

#include <string>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {
struct notes {
  std::vector<std::string> lines;
  std::string domain;
  int depth = 0;
};
notes& all() {
  static auto& one = *new notes;
  return one;
}

nvtxDomainHandle_t create(char const* name) {
  all().domain = name;
  return reinterpret_cast<nvtxDomainHandle_t>(&all());
}
int push(nvtxDomainHandle_t domain, nvtxEventAttributes_t const* range) {
  bool const is_own = domain == reinterpret_cast<nvtxDomainHandle_t>(&all()) &&
                      range->messageType == NVTX_MESSAGE_TYPE_ASCII;
  all().lines.push_back(std::string(2 * static_cast<std::size_t>(all().depth), ' ') +
                        (is_own ? range->message.ascii : "of another domain"));
  return all().depth++;
}
int pop(nvtxDomainHandle_t) { return --all().depth; }
}  // namespace

/// The ranges so far, one in a line, indented by their depth. Forgets them.
EXPORTED char const* profiler_ranges() {
  static std::string text;
  text.clear();
  for (std::string const& line : all().lines) text += line + "\n";
  all().lines.clear();
  return text.c_str();
}
EXPORTED int profiler_depth() { return all().depth; }
EXPORTED char const* profiler_domain() { return all().domain.c_str(); }

EXPORTED int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
  auto const* const tables =
      static_cast<NvtxExportTableCallbacks const*>(table_of(NVTX_ETID_CALLBACKS));
  if (tables == nullptr) return 0;
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (tables->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(&create);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(&push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(&pop);
  return 1;
}
