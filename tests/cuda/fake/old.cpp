// A driver of another time: it has two functions only, and is new enough or not as it is compiled.
extern "C" __attribute__((visibility("default"))) int cuInit(unsigned) { return 0; }
extern "C" __attribute__((visibility("default"))) int cuDriverGetVersion(int* version) {
  *version = FAKE_VERSION;
  return 0;
}
