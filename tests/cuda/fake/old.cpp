// A driver of another version with only two functions. FAKE_VERSION decides whether it is too old.
extern "C" __attribute__((visibility("default"))) int cuInit(unsigned) { return 0; }
extern "C" __attribute__((visibility("default"))) int cuDriverGetVersion(int* version) {
  *version = FAKE_VERSION;
  return 0;
}
