import torch


def mean_of_two(x, y):
    """Mean of x and y. An object of the class MyOp adds them up."""
    means = torch.classes.my_op.MyOp()
    means.add(x)
    means.add(y)
    return means.mean()
