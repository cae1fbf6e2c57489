// The calls that operator checks look at: the given one, others drawn from ranges, one made from
// the schema alone, and the simplest that still shows a failure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/operator_check/operator_call.h"
#include "runtime/operator_check/operator_check.h"

namespace opsmith {

// What one call takes from the ranges, each in the order of the maker's lists.
struct Draw {
  std::vector<int64_t> sizes;
  std::vector<double> numbers;
  size_t dtype = 0;  // its place among the request's dtypes
  int64_t turn = 0;  // added to the seed of every input that is drawn
};

class CaseMaker {
 public:
  // Both must outlive it.
  CaseMaker(const OperatorCheckRequest& request, const Callable& callable);

  const Callable& callable() const { return callable_; }
  Draw given() const;
  // request.shapes other ones, the same for the same seed; none where nothing may vary.
  std::vector<Draw> others() const;
  // The given one with each integer of a range that the request declares, at most 32 of a range.
  std::vector<Draw> each_integer() const;
  // `draw` with one thing simpler, the simplest first: a size, a number, the dtype, the turn.
  std::vector<Draw> simpler(const Draw& draw) const;
  OperatorCheckCase make(const Draw& draw) const;
  // The sizes that no argument names, and whose places' values may be picked from.
  std::vector<SizeRange> croppable() const;
  // Whether a simpler number may replace this argument: it is no integer, which sizes and indices
  // may depend on, and no range is given for it.
  bool may_simplify(size_t argument) const;

 private:
  const OperatorCheckRequest& request_;
  const Callable& callable_;
  std::vector<SizeRange> sizes_;  // the request's, else those that equal sizes stand for
  bool from_ranges_ = false;      // the request names what may vary
};

// Whether a tensor may have an element of this value: an integer one only where it is drawn from a
// range that holds it.
bool may_hold(const InputSpec& spec, double value);

// Throws Failure (input.invalid, device.unavailable).
OperatorCall call_of(const Callable& callable, const OperatorCheckCase& made);

// "x float64[1, 2] of zeros, eps = 0"
std::string case_words(const Callable& callable, const OperatorCheckCase& made);

// ---- from_schema.cpp
// The first call that the operator accepts, of those that its schema suggests: tensors of several
// shapes and dtypes, small numbers, None. Each is tried in a copy of the process. Throws Failure
// (input.invalid) that says what was tried and why it was refused.
OperatorCheckCase case_from_schema(const Callable& callable);

// ---- shrink.cpp
// What is asked of candidates that are simpler than a failing case.
struct ShrinkTrial {
  std::function<bool(const OperatorCheckCase&)> fails;
  bool in_copies = true;  // `fails` may end the process
  int signal = 0;         // that ends the process where the failure shows; 0: a call returns
  double seconds = 0;     // for all candidates that one copy looks at
};
// The case with the smallest sizes, then the simplest values, that still fails, as far as a few
// seconds allow. Values of integer tensors and integer arguments stay as they are where no range
// allows others: they may point into what they are given with.
OperatorCheckCase shrink(const CaseMaker& maker, const Draw& draw, const ShrinkTrial& trial);

}  // namespace opsmith
