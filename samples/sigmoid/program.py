import torch


def gate(x):
    """x times its sigmoid, known as SiLU."""
    return x * torch.ops.sigmoid.sigmoid(x)
