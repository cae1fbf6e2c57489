// Sparse tensors as gradcheck sees them: elements that are specified, and others that are zero.
// Of layouts with one value an element (no dense dimensions) and without batch dimensions, which is
// all that inputs.h makes.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace opsmith {

bool is_sparse(const at::Tensor& tensor);  // COO, CSR, CSC, BSR or BSC

// The values of the specified elements, as they are stored, in the tensor's own memory and outside
// its graph: writing to them perturbs the tensor.
at::Tensor specified_values(const at::Tensor& sparse);

// For each of specified_values(), flattened: its place in the dense tensor, flattened (int64, on
// the CPU). One that a COO tensor specifies twice is there twice.
at::Tensor specified_places(const at::Tensor& sparse);

// The sparse ones as copies with every element specified, the unspecified ones as zeros; each keeps
// its layout and whether it requires grad. The others are as they were.
std::vector<at::Tensor> with_all_specified(const std::vector<at::Tensor>& tensors);

}  // namespace opsmith
