import torch


def added(a, b):
    out = torch.empty_like(a)
    torch.ops.extension_cpp.myadd_out(a, b, out)
    return out
