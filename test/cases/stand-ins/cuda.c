// A stand-in for libcuda.so.1: one H100, or what $STAND_IN_STATE says (init, version, devices).
#include "stand_in.h"

int cuInit(unsigned flags) {
  (void)flags;
  return (int)stated("init", 0);
}
int cuDriverGetVersion(int* version) {
  *version = (int)stated("version", 13000);
  return 0;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == 0     ? "CUDA_SUCCESS"
          : error == 100 ? "CUDA_ERROR_NO_DEVICE"
          : error == 802 ? "CUDA_ERROR_SYSTEM_NOT_READY"
          : error == 999 ? "CUDA_ERROR_UNKNOWN"
                         : NULL;
  return *name == NULL;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == 100   ? "no CUDA-capable device is detected"
          : error == 802 ? "system not yet initialized"
                         : "unknown error";
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = (int)stated("devices", 1);
  return 0;
}
int cuDeviceGet(int* device, int index) {
  *device = index;
  return index < stated("devices", 1) ? 0 : 101;
}
int cuDeviceGetName(char* name, int length, int device) {
  (void)device;
  snprintf(name, (size_t)length, "NVIDIA H100 (stand-in)");
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  switch (attribute) {
    case 13: *value = 1980000; return 0;   // clock, kHz
    case 16: *value = 132; return 0;       // multiprocessors
    case 36: *value = 2619000; return 0;   // memory clock, kHz
    case 37: *value = 5120; return 0;      // bits of its bus
    // It has no cache: a small one is emptied quickly.
    case 38: *value = 8 << 20; return 0;
    case 75: *value = 9; return 0;         // compute capability
    case 76: *value = 0; return 0;
    default: return 1;
  }
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  (void)device;
  *bytes = (size_t)80 << 30;
  return 0;
}
int cuDeviceGetPCIBusId(char* text, int length, int device) {
  (void)device;
  snprintf(text, (size_t)length, "0000:01:00.0");
  return 0;
}
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  (void)device;
  *flags = 0;
  *active = 0;
  return 0;
}
// A line in the file $STAND_IN_RESETS for each time.
int cuCtxResetPersistingL2Cache(void) {
  const char* place = getenv("STAND_IN_RESETS");
  FILE* file = place == NULL ? NULL : fopen(place, "a");
  if (file == NULL) return 0;
  fputs("reset\n", file);
  fclose(file);
  return 0;
}
