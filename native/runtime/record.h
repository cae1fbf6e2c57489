// Records a call with its arguments and results, to compare exported projects with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/run.h"

namespace opsmith {

struct RecordRequest {
  RunRequest request;
  std::string path;
  bool make_call = true;
};

struct RecordedCall {
  int64_t results = 0;  // how many there are
  // Of an operator that returns nothing, the arguments that its schema says are written, by their
  // places: the results are what these hold after the call.
  std::optional<std::vector<int64_t>> written;
};

// Writes two files for one call, to `path`:
//   PATH.pt           a TorchScript archive without code, with the attributes `arguments` and
//   `results`,
//                     both tuples: Python's torch.jit.load and C++'s torch::jit::load read it;
//   PATH.safetensors  the same for those without libtorch: tensors by name, and in __metadata__ the
//                     lists "arguments" and "results" as JSON, in which {"tensor": NAME} is a
//                     tensor.
// Both have `written` too where a RecordedCall has it: places of arguments.
// Arguments are as they were before the call; results are flattened and detached. Without
// `make_call` there are no results. The same request gives the same bytes. `reference` is ignored.
// Throws Failure (io, and as run() does) and whatever the operator throws.
RecordedCall record_call(const RecordRequest& request);

}  // namespace opsmith
