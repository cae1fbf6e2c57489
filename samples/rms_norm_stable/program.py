import torch


def residual(x, weight):
    """A pre-normalised residual block with tanh as its body."""
    return x + torch.tanh(torch.ops.rms_norm_stable.rms_norm(x, weight))
