import optional_cuda  # noqa: F401
import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gather(dtype):
    source = torch.tensor([1, 2, 4, 8], dtype=dtype)
    index = torch.tensor([3, 0, 0])
    assert torch.ops.optional_cuda.gather(source, index).tolist() == [8, 1, 1]
