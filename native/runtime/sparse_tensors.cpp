#include "runtime/sparse_tensors.h"

#include <ATen/Functions.h>
#include <ATen/SparseCsrTensorUtils.h>
#include <ATen/TensorOperators.h>

namespace opsmith {
namespace {

bool is_blocked(const at::Tensor& sparse) {
  return sparse.layout() == at::kSparseBsr || sparse.layout() == at::kSparseBsc;
}

// COO with indices in row-major order, so coalesced.
at::Tensor all_specified(const at::Tensor& sparse) {
  const auto dense = sparse.detach().to_dense();
  const auto places = at::ones(dense.sizes(), dense.options().dtype(at::kBool)).nonzero().t();
  auto coo = at::sparse_coo_tensor(places.contiguous(), dense.reshape(-1).clone(), dense.sizes())
                 ._coalesced_(true);
  if (sparse.layout() == at::kSparse) return coo;
  if (!is_blocked(sparse)) return coo.to_sparse(sparse.layout(), std::nullopt, std::nullopt);
  const auto block = sparse.detach().values().sizes().slice(1).vec();
  return coo.to_sparse(sparse.layout(), block, std::nullopt);
}

}  // namespace

bool is_sparse(const at::Tensor& tensor) {
  return tensor.layout() == at::kSparse || at::sparse_csr::is_sparse_compressed(tensor);
}

at::Tensor specified_values(const at::Tensor& sparse) {
  const auto detached = sparse.detach();
  const auto values = sparse.layout() == at::kSparse ? detached._values() : detached.values();
  // Shares the memory but not the version, which a saved tensor would notice.
  return values.variable_data();
}

at::Tensor specified_places(const at::Tensor& sparse) {
  const auto values = specified_values(sparse);
  if (sparse.layout() == at::kSparse) {
    auto places = at::zeros({sparse._nnz()}, at::TensorOptions().dtype(at::kLong));
    const auto indices = sparse.detach()._indices().cpu();
    for (int64_t dim = 0; dim < sparse.dim(); ++dim)
      places.mul_(sparse.size(dim)).add_(indices[dim]);
    return places;
  }
  // Numbers from 1 in place of the values: each is found again in the dense tensor.
  const auto numbers = at::arange(1, values.numel() + 1, at::TensorOptions().dtype(at::kDouble))
                           .view(values.sizes());
  const auto [compressed, plain] = at::sparse_csr::getCompressedPlainIndices(sparse);
  const auto numbered =
      at::sparse_compressed_tensor(compressed.cpu(), plain.cpu(), numbers, sparse.sizes(),
                                   numbers.options().layout(sparse.layout()))
          .to_dense()
          .reshape(-1);
  const auto places = numbered.nonzero().reshape(-1);
  return places.index_select(0, numbered.index_select(0, places).argsort());
}

std::vector<at::Tensor> with_all_specified(const std::vector<at::Tensor>& tensors) {
  auto all = tensors;
  for (auto& tensor : all) {
    if (is_sparse(tensor)) tensor = all_specified(tensor).requires_grad_(tensor.requires_grad());
  }
  return all;
}

}  // namespace opsmith
