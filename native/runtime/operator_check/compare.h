// What the checks that compare calls share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/operator_check/checks.h"

namespace opsmith {

// Seconds that a call in a copy of the process may take.
inline constexpr double patience = 30;

// What differs between two lists of outputs, beyond what `dtype` (each output's own, when it is
// absent) may; whole numbers differ by nothing, and are left out where `dtype` rounds what they
// were computed from. nullopt when nothing differs. `when` begins the sentence: "with x
// transposed".
std::optional<OperatorCheckFinding> difference(const Tensors& actual, const Tensors& expected,
                                               const std::string& when,
                                               std::optional<at::ScalarType> dtype = std::nullopt);

// The same for one tensor, which the finding calls `name`.
std::optional<OperatorCheckFinding> tensor_difference(
    const at::Tensor& actual, const at::Tensor& expected, const std::string& when,
    const std::string& name, std::optional<at::ScalarType> dtype = std::nullopt);

// The precision that float64 values were computed in: float32 when every one fits it exactly;
// nullopt when they are too few, or too simple, to tell.
std::optional<at::ScalarType> computed_precision(const at::Tensor& in_double);

// A finding that crosses from a copy of the process, as text; "" when there was none.
std::string finding_text(const std::optional<OperatorCheckFinding>& finding);

// What memory checks look at: strided tensors on the CPU.
bool all_on_cpu(const OperatorCall& call);
inline constexpr const char* not_on_cpu = "this check supports only strided tensors on the CPU";

std::string bytes_text(int64_t count);                              // "1 byte", "2 bytes"
std::string element_words(const at::Tensor& tensor, int64_t flat);  // of one element
std::string joined(const std::vector<std::string>& words);          // "a, b"

}  // namespace opsmith
