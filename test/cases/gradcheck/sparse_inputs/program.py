import torch


def row_sums(x):
    return torch.sparse.sum(x, [1]).to_dense()


def squares(x):
    dense = x.to_dense(masked_grad=False)
    return dense * dense
