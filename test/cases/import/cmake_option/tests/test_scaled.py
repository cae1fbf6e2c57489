import pathlib

import torch

torch.ops.load_library(pathlib.Path(__file__).resolve().parents[1] / "build" / "libscaled.so")


def test_scaled():
    assert torch.ops.scaled_ops.scaled(torch.ones(3), 4.0).tolist() == [6, 6, 6]
