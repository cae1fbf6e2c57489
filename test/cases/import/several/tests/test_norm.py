import norm_cpp
import torch


def test_norm():
    torch.testing.assert_close(norm_cpp.norm(x=torch.tensor([3.0, 4.0])), torch.tensor([0.6, 0.8]))


def test_load():
    from torch.utils.cpp_extension import load

    assert load("norm_cpp", ["there_is_no_such_file.cpp"]) is norm_cpp


def test_ends_the_process():
    import os

    os.abort()
