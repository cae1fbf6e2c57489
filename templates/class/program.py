import torch


def mean_of_two(x, y):
    """Mean of x and y, by an object that collects them."""
    means = torch.classes.my_op.MyOp()
    means.add(x)
    means.add(y)
    return means.mean()
