#include <numeric>

#include "binding/calls.h"

namespace opsmith {

struct __Name__Request {
  std::vector<double> values;
};

void fields(auto& visit, __Name__Request& request) {
  visit("values", request.values);
}

struct __Name__Answer {
  double sum = 0;
};

void fields(auto& visit, __Name__Answer& answer) {
  visit("sum", answer.sum);
}

// Runs on the call thread; what it throws becomes an error of the call.
static __Name__Answer answer___snake__(const __Name__Request& request) {
  return {std::accumulate(request.values.begin(), request.values.end(), 0.0)};
}

static const Calls __snake___calls({
    {"__call__", handle(answer___snake__)},
});

}  // namespace opsmith
