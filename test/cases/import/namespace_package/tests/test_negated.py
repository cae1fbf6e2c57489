import torch
from acme.ops import negated


def test_negated():
    assert negated(torch.tensor([1, -2])).tolist() == [-1, 2]
