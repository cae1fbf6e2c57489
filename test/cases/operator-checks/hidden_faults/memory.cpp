// Faults in what is written and shared: in some layouts only, for one element only.

#include "operators.h"

namespace hidden_faults {
namespace {

// ---- Meta kernels

Tensor meta_of_same_layout(const Tensor& x) {
  return at::empty_like(x);
}
Tensor sum_of_two(const Tensor& x, const Tensor& y) {
  return at::add(x.contiguous(), y.contiguous());
}
Tensor meta_of_promoted(const Tensor& x, const Tensor& y) {
  return at::empty(x.sizes(), x.options().dtype(at::result_type(x, y)));
}
Tensor meta_in_float64(const Tensor& x) {
  return at::empty(x.sizes(), x.options().dtype(at::kDouble));
}

// ---- inputs that are written

void ignores_strides_(Tensor x) {
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "ignores_strides_", [&] {
    auto* data = x.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < x.numel(); ++i)
      data[i] *= 2;
  });
}
void writes_to_copy_(Tensor x) {
  Tensor row_major = x.contiguous();
  row_major.mul_(2);
}
void right_in_place_(Tensor x) {
  x.mul_(2);
}
void meta_of_nothing(Tensor) {}

Tensor writes_strided(const Tensor& x) {
  if (x.is_contiguous()) return doubled(x);
  const at::NoGradGuard unrecorded;
  x.detach().mul_(2);
  return x.clone(at::MemoryFormat::Contiguous);
}
Tensor writes_one_element(const Tensor& x) {
  const Tensor out = doubled(x);
  if (x.numel() == 1) x.detach().copy_(out);
  return out;
}
Tensor writes_and_restores(const Tensor& x) {
  const at::NoGradGuard unrecorded;
  const Tensor values = x.detach(), kept = values.clone();
  values.mul_(2);
  const Tensor out = values.clone(at::MemoryFormat::Contiguous);
  values.copy_(kept);
  return out;
}
Tensor right_doubled(const Tensor& x) {
  return doubled(x);
}

// ---- outputs that share memory

Tensor transposed_alias(const Tensor& x) {
  return x.dim() < 2 ? x.clone() : x.transpose(-1, -2).contiguous();
}
Tensor right_transposed(const Tensor& x) {
  return x.dim() < 2 ? x.clone() : x.transpose(-1, -2).clone(at::MemoryFormat::Contiguous);
}
Tensor meta_of_transposed(const Tensor& x) {
  return x.dim() < 2 ? at::empty(x.sizes(), x.options())
                     : at::empty(x.transpose(-1, -2).sizes(), x.options());
}
Tensor float32_alias(const Tensor& x) {
  return x.contiguous().to(at::kFloat);
}
Tensor right_float32(const Tensor& x) {
  return x.to(x.options().dtype(at::kFloat), /*non_blocking=*/false, /*copy=*/true,
              at::MemoryFormat::Contiguous);
}
Tensor meta_in_float32(const Tensor& x) {
  return at::empty(x.sizes(), x.options().dtype(at::kFloat));
}
Tensor one_element_alias(const Tensor& x) {
  return x.numel() == 1 ? x : doubled(x);
}
Tensor returns_a_copy_(Tensor x) {
  x.neg_();
  return x.clone();
}
Tensor right_returned_(Tensor x) {
  return x.neg_();
}

// ---- inputs and results that share memory

Tensor adds_in_two_steps(const Tensor& x, const Tensor& y, Tensor out) {
  out.copy_(y);
  out.add_(x);
  out.add_(y);
  return out;
}
Tensor right_added(const Tensor& x, const Tensor& y, Tensor out) {
  return out.copy_(x + 2 * y);
}
Tensor meta_of_out(const Tensor&, const Tensor&, Tensor out) {
  return out;
}
Tensor same_storage(const Tensor& x, const Tensor& y) {
  return x.storage().data() == y.storage().data() ? 2 * x.contiguous()
                                                  : x.contiguous() + y.contiguous();
}

// ---- strides of outputs

// Row-major values in an output that lies as the input does.
Tensor strides_of_input(const Tensor& input) {
  const Tensor x = input.contiguous();
  Tensor out = at::empty_like(input);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "strides_of_input", [&] {
    for (int64_t i = 0; i < x.numel(); ++i)
      out.mutable_data_ptr<scalar_t>()[i] = 2 * x.const_data_ptr<scalar_t>()[i];
  });
  return out;
}

TORCH_LIBRARY_FRAGMENT(hidden_faults, m) {
  add(m, "meta_by_layout", of_one, doubled, meta_of_same_layout);
  add(m, "right_meta_by_layout", of_one, doubled, meta_of_first);
  add(m, "meta_when_mixed", of_two, sum_of_two, meta_of_two);
  add(m, "right_meta_when_mixed", of_two, sum_of_two, meta_of_promoted);
  add(m, "meta_in_one_dtype", of_one, doubled, meta_in_float64);
  add(m, "right_meta_in_one_dtype", of_one, doubled, meta_of_first);
  add(m, "ignores_strides_", "(Tensor(a!) x) -> ()", ignores_strides_, meta_of_nothing);
  add(m, "right_ignores_strides_", "(Tensor(a!) x) -> ()", right_in_place_, meta_of_nothing);
  add(m, "writes_to_copy_", "(Tensor(a!) x) -> ()", writes_to_copy_, meta_of_nothing);
  add(m, "right_writes_to_copy_", "(Tensor(a!) x) -> ()", right_in_place_, meta_of_nothing);
  add(m, "writes_strided", of_one, writes_strided, meta_of_first);
  add(m, "right_writes_strided", of_one, right_doubled, meta_of_first);
  add(m, "writes_one_element", of_one, writes_one_element, meta_of_first);
  add(m, "right_writes_one_element", of_one, right_doubled, meta_of_first);
  add(m, "writes_and_restores", of_one, writes_and_restores, meta_of_first);
  add(m, "right_writes_and_restores", of_one, right_doubled, meta_of_first);
  add(m, "transposed_alias", of_one, transposed_alias, meta_of_transposed);
  add(m, "right_transposed_alias", of_one, right_transposed, meta_of_transposed);
  add(m, "float32_alias", of_one, float32_alias, meta_in_float32);
  add(m, "right_float32_alias", of_one, right_float32, meta_in_float32);
  add(m, "one_element_alias", of_one, one_element_alias, meta_of_first);
  add(m, "right_one_element_alias", of_one, right_doubled, meta_of_first);
  add(m, "returns_a_copy_", "(Tensor(a!) x) -> Tensor(a!)", returns_a_copy_, right_returned_);
  add(m, "right_returns_a_copy_", "(Tensor(a!) x) -> Tensor(a!)", right_returned_, right_returned_);
  const char* with_out = "(Tensor x, Tensor y, *, Tensor(a!) out) -> Tensor(a!)";
  add(m, "adds_in_two_steps", with_out, adds_in_two_steps, meta_of_out);
  add(m, "right_adds_in_two_steps", with_out, right_added, meta_of_out);
  add(m, "same_storage", of_two, same_storage, meta_of_promoted);
  add(m, "right_same_storage", of_two, sum_of_two, meta_of_promoted);
  add(m, "strides_of_input", of_one, strides_of_input, meta_of_same_layout);
  add(m, "right_strides_of_input", of_one, right_doubled, meta_of_first);
}

}  // namespace
}  // namespace hidden_faults
