import pathlib

import pytest
import torch

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "template_ops"


def expected(a, b, c):
    return 2 * a * b + c


class TestMuladd:
    @pytest.mark.parametrize("c", [0.0, 2.5])
    def test_numbers(self, c):
        from template_ops import _C

        assert _C.__name__ == "template_ops._C"
        a, b = torch.rand(4), torch.rand(4)
        print("adds", c)
        torch.testing.assert_close(torch.ops.template_ops.muladd(a, b, c), expected(a, b, c))


def test_load_library():
    torch.ops.load_library(PACKAGE / "_C.abi3.so")
    assert torch.ops.template_ops.muladd(torch.ones(2), torch.ones(2), 1.0).sum() == 6


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_cuda():
    a = torch.rand(4, device="cuda")
    torch.testing.assert_close(torch.ops.template_ops.muladd(a, a, 1.0), expected(a, a, 1.0))
