import torch


def shares(x, bins: int):
    """The share of the elements that falls into each bin between -3 and 3."""
    counts = torch.ops.histogram.histogram(x, bins, -3.0, 3.0)
    return counts / x.numel()


def mean_value(x, values):
    """The mean of values[bin] over the elements of x. The gradient flows to values, not to x."""
    return (shares(x, values.size(0)) * values).sum()
