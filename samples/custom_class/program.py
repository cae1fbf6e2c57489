import torch


def normalize_by_first(first, second):
    """The second batch, normalised by the first. The operator makes the object, so the function can be traced."""
    return torch.ops.running.normalize_by(second, first)


def normalize_by_history(first, second):
    """The second batch, normalised by the statistics of both."""
    statistics = torch.classes.running.RunningStatistics(first.size(1))
    statistics.update(first)
    statistics.update(second)
    return torch.ops.running.normalize(second, statistics)


def merged_moments(first, second):
    """Mean and variance of both batches: merges two objects, each with one batch."""
    left = torch.classes.running.RunningStatistics(first.size(1))
    left.update(first)
    right = torch.classes.running.RunningStatistics(second.size(1))
    right.update(second)
    left.merge(right)
    return left.mean(), left.variance()


def normalize_by_past(first, second):
    """The second batch, normalised by the statistics of the first alone."""
    statistics = torch.classes.running.RunningStatistics(first.size(1))
    statistics.update(first)
    return torch.ops.running.normalize(second, statistics)
