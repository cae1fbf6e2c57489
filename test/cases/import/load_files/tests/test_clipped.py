import torch
from ops import clipped


def test_clipped():
    assert clipped(torch.tensor([-9.0, 1.0, 9.0])).tolist() == [-3, 1, 3]
