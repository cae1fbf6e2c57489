"""Functions for torch.jit.script: texts, assertions, annotations, keyword arguments, scalars."""

from typing import List, Optional

import torch
from torch import Tensor


def assertions(x, n: int):
    assert n > 0, "n must be positive"
    assert x.dim() == 2
    if n > 100:
        raise ValueError("n is too large")
    return x.view(n, -1)


def format_texts(name: str, n: int, x: float):
    text = "%s has %d" % (name, n)
    other = "{}: {} and {}".format(name, n, x)
    return text + other + str(n), name.upper(), len(text)


def keyword_arguments(x, weight, bias: Optional[Tensor] = None):
    y = torch.conv2d(x, weight, bias=bias, stride=[1, 1], padding=[1, 1])
    y = torch.sum(y, dim=[1], keepdim=True)
    return torch.add(y, 1, alpha=2).to(torch.float64)


def softmax_of_product(x, weight: Tensor):
    y = torch.relu(x)
    return torch.softmax(torch.matmul(y, weight), dim=-1, dtype=torch.float32)


def annotated(x):
    empty = torch.jit.annotate(List[int], [])
    for i in range(x.dim()):
        empty.append(x.size(i))
    nothing = torch.jit.annotate(Optional[Tensor], None)
    if len(empty) > 2:
        nothing = x
    return nothing if nothing is not None else x * 2


def scalars(x, a: int, b: float):
    quotient, rest = a // 3, a % 3
    power = b**2 + a**2
    bits = (a << 2) | (a & 7) ^ 1
    small, large = min(a, 3), max(b, 0.5)
    return x * power + quotient - rest, int(b) + bits, float(a), bool(a), -b, small, large, abs(a), round(b)


def in_place_and_views(x):
    y = x.view(-1)
    y.add_(1).mul_(2)
    z = y.clone().detach().requires_grad_(True)
    return z.unsqueeze(0).expand(3, -1).contiguous()


def none_default(x, y: Optional[Tensor] = None):
    return x if y is None else x + y
