// What checks share that make other calls than the given one: with other sizes, in other processes,
// with tensors that the operator writes to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/operator_check/checks.h"

namespace opsmith {

// Runs `look` in a copy of the process. nullopt if it throws or ends the copy: another check
// reports calls that end their process.
using Look = std::function<std::optional<OperatorCheckFinding>()>;
std::optional<OperatorCheckFinding> found_in_copy(const Look& look);

// The first finding of several functions. They share one copy of the process; the next copy starts
// only if one ends.
std::optional<OperatorCheckFinding> first_found_in_copy(const std::vector<Look>& looks);

// The given call with other tensors, and how that is said: "with x transposed, ".
struct OtherInputs {
  Tensors tensors;
  std::string when;
};

// Each tensor in each other layout. Expanded ones are left out where the operator writes: their
// elements share memory.
std::vector<OtherInputs> in_other_layouts(const OperatorCall& call);

// As `difference` (compare.h), of the inputs that the schema lets the call write.
std::optional<OperatorCheckFinding> written_difference(const OperatorCall& call,
                                                       const Tensors& actual,
                                                       const Tensors& expected,
                                                       const std::string& when);

// The outputs of a call, then the inputs that the schema lets it write. Throws what it throws.
Tensors results_of(const OperatorCall& call, const Tensors& inputs);

// The call, and its backward where it has one.
void run_with_backward(const OperatorCall& call, const Tensors& inputs);

Tensors clones_of(const Tensors& tensors);

// Tensors as text, to cross from a copy of the process.
std::string packed_tensors(const Tensors& tensors);
Tensors unpacked_tensors(const std::string& text);

// The sizes above 1 that a call's tensors have, those first that the largest tensor has in its
// first dimensions. Without those that an integer argument is equal to, since it may be about them.
std::vector<int64_t> resizable_sizes(const OperatorCall& call);

// Why no other sizes are tried; "" when they may be. Elements of an integer tensor may be places in
// another tensor.
std::string not_resizable(const OperatorCall& call);

// The tensors with `to` in place of each size `from`: their rows and columns again and again, or
// the first ones of them.
Tensors with_other_size(const Tensors& tensors, int64_t from, int64_t to);

}  // namespace opsmith
