// Subscripts in a program's source, which a script graph holds as views and copies.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

namespace opsmith {

// Whether the node is written as an assignment, augmented or not: z[0] = y, z[0] += 1.
bool is_assignment(const torch::jit::Node& node);

// Whether an aten::tensor makes a tensor only to assign a number: the 1. of z[0] = 1.
bool is_assigned_number(const torch::jit::Node& node);

// The views that the target of an augmented assignment is, outermost first: a slice and a select
// for z[:, 1] += 2. Empty where the node is none, or its target is no part of a tensor.
std::vector<const torch::jit::Node*> views_assigned_to(const torch::jit::Node& node);

// Python counts the dimensions of x[..., 0] from the front; a script does it from the back.
void count_from_front(const torch::jit::Node& node, std::vector<c10::IValue>& stack);

// Assigns to what a subscript gave as Python's indexing does (copy_to in
// torch/csrc/autograd/python_variable_indexing.cpp): a number fills, what is smaller is expanded.
void assign(const at::Tensor& target, const at::Tensor& value);

}  // namespace opsmith
