import torch


def dictionaries(x):
    parts = torch.ops.pybind_kinds.parts(x)
    return torch.ops.pybind_kinds.look_up({"factor": 3.0}, parts["plus"] * parts["minus"])


def filled(x):
    y = x.clone()
    torch.ops.pybind_kinds.fill_with(y, value=2.5)
    return y
