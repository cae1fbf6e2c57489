import torch

torch.ops.load_library("libno_build_file.so")


def test_half():
    assert torch.ops.no_build_file.half(torch.tensor(3.0)) == 1.5
