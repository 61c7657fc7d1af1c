// Libraries that say something wrong about themselves. Their record is laid out by hand, as one of
// another version would be; no LibTorch is needed.
#include <cstdint>

namespace {

struct Record {
  std::uint32_t version;
  const char* libtorch;
  int takes;
  void* make;
};

}  // namespace

#if defined(FAULT_NULL)
extern "C" const void* lockstep_model_plugin() { return nullptr; }
#elif defined(FAULT_VERSION)
extern "C" const void* lockstep_model_plugin() {
  static const Record record{99, nullptr, 0, nullptr};
  return &record;
}
#elif defined(FAULT_LIBTORCH)
extern "C" const void* lockstep_model_plugin() {
  static const Record record{1, "1.13.1", 0, nullptr};
  return &record;
}
#else  // another library
extern "C" int some_function() { return sizeof(Record); }
#endif
