import torch


def weighted(x, y):
    return torch.ops.fragment_and_impl.axpy(x, y, alpha=2.5)


def into(x, y):
    out = torch.empty_like(x)
    torch.ops.fragment_and_impl.axpy(x, y, alpha=3, out=out)
    return out


def in_place(x):
    return torch.ops.fragment_and_impl.scale_(x.clone())
