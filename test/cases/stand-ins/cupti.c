// A stand-in for libcupti.so.12 that does not start: cuptiActivityEnable answers what $STAND_IN_STATE says (cupti).
#include "stand_in.h"

int cuptiActivityEnable(int kind) {
  (void)kind;
  return (int)stated("cupti", 0);
}
int cuptiActivityDisable(int kind) {
  (void)kind;
  return 0;
}
int cuptiGetResultString(int error, const char** text) {
  *text = error == 39   ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : error == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                        : "CUPTI_ERROR_UNKNOWN";
  return 0;
}
