// A stand-in for libnvidia-ml.so.1. Of $STAND_IN_STATE: clock (MHz at work), rest (MHz), reasons (bits), slowed (ns), others
// (processes), sibling (the number of one more), own (1: this process is in the list), parted (1: MIG), error (of each question about the device).
// With -DOLD_NAMES it has the names of drivers before 535. A question takes 3 ms, as it may.
#include <unistd.h>

#include "stand_in.h"

typedef struct {
  unsigned process;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
} process_info;

// Set by the device of tests (test/cases/timing/device).
int (*stand_in_is_busy)(void);

static int is_busy(void) {
  return stand_in_is_busy == NULL || stand_in_is_busy();
}

static int answer(void) {
  usleep(3000);
  return (int)stated("error", 0);
}

int nvmlInit_v2(void) {
  return 0;
}
const char* nvmlErrorString(int error) {
  return error == 15 ? "GPU is lost" : "Unknown Error";
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* place, void** device) {
  *device = &stand_in_is_busy;
  return strcmp(place, "0000:01:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void* device, int kind, unsigned* clock) {
  (void)device;
  const int busy = is_busy(), error = answer();
  const long long working = stated("clock", 1980);
  *clock = kind == 2 ? 2619 : (unsigned)(busy ? working : stated("rest", working));
  return error;
}
int nvmlDeviceGetTemperature(void* device, int kind, unsigned* temperature) {
  (void)device;
  (void)kind;
  *temperature = 41;
  return answer();
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* power) {
  (void)device;
  *power = 210000;
  return answer();
}
static int reasons_of(unsigned long long* reasons) {
  const int busy = is_busy(), error = answer();
  *reasons = busy ? (unsigned long long)stated("reasons", 0) : 1;
  return error;
}
#ifdef OLD_NAMES
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  (void)device;
  return reasons_of(reasons);
}
#else
int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* reasons) {
  (void)device;
  return reasons_of(reasons);
}
int nvmlDeviceGetViolationStatus(void* device, int policy, unsigned long long* time) {
  (void)device;
  // Of heat, it is more each time.
  static unsigned long long slowed;
  slowed += (unsigned long long)stated("slowed", 0);
  time[0] = 0;
  time[1] = policy == 1 ? slowed : 0;
  return answer();
}
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* later) {
  (void)device;
  *now = *later = (unsigned)stated("parted", 0);
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, process_info* found) {
  (void)device;
  const unsigned own = (unsigned)stated("own", 1), sibling = (unsigned)stated("sibling", 0);
  const unsigned before = own + (sibling != 0), all = before + (unsigned)stated("others", 0);
  const int fits = found != NULL && *count >= all;
  for (unsigned i = 0; fits && i < all; ++i)
    found[i].process = i < own ? (unsigned)getpid() : i < before ? sibling : 1;
  *count = all;
  return fits ? 0 : 7;
}
#endif
