import torch


def twice(x):
    return torch.ops.loops.scale(torch.ops.loops.scale(x, 2.0), 0.5)
