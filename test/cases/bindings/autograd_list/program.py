import torch


def exponential_only(x):
    """The differentiable one of three results."""
    y, positive, count = torch.ops.autograd_list.exponential(x)
    return y
