import torch
from missing_module import _C  # noqa: F401


def test_add():
    assert torch.ops.missing_module.add(torch.zeros(2)).tolist() == [4, 4]
