"""Functions for torch.jit.script: loops, branches, early returns. Each one's graph is compared with Python's."""

from typing import List, Optional

import torch
from torch import Tensor


def branch_on_pixel(x, y):
    if bool(x[0][0] == 42):
        z = 5
    else:
        z = 10
    return x.matmul(y) + z


def early_return(x, limit: int):
    if limit < 0:
        return x
    if limit == 0:
        return torch.zeros_like(x)
    y = x.clamp(-limit, limit)
    return y * 2


def while_with_break(x, tolerance: float):
    steps = 0
    while True:
        x = x / 2
        steps += 1
        if float(x.abs().max()) < tolerance:
            break
        if steps > 100:
            return x, -1
    return x, steps


def for_with_continue(x):
    total = torch.zeros(1)
    for i in range(x.size(0)):
        if i % 2 == 0:
            continue
        for j in range(1, x.size(1), 2):
            total += x[i, j]
    return total


def nested_loops_and_branches(x, depth: int):
    for level in range(depth):
        if level > 3:
            while x.sum() > 0:
                x = x - 1
        elif level == 2:
            x = torch.relu(x)
        else:
            x = x + level if level > 0 else x.t()
    return x


def newton(f: float, steps: int = 8) -> float:
    guess = f
    for _ in range(steps):
        guess = 0.5 * (guess + f / guess)
    return guess


def helper_scale(x, factor: float = 2.0):
    return x * factor


def calls_helpers(x, times: int):
    y = helper_scale(x)
    for i in range(times):
        y = helper_scale(y, factor=1.5) + helper_scale(x=x, factor=float(i))
    return y


def boolean_logic(x: Tensor, a: bool, b: bool, n: int):
    if a and not b or n in [1, 2, 3]:
        x = -x
    if a is not b and 0 < n <= 7:
        x = x.abs()
    return x if a else (x + 1 if b else x + 2)


def chained_comparisons(x: Tensor, a: int, b: int, c: float):
    if 0 < a <= b < 10 and a != (b) != 7:
        x = x + 1
    if (a < b) == (b < 3):
        x = x * 2
    if a < int(abs(c)) < b or a not in [1, 2] == [b]:
        x = x - (a)
    while -1 < x.size(0) < min(a, b):
        a -= 1
    return x, 0.5 <= c <= 1.5


def optional_refinement(x: Tensor, bias: Optional[Tensor], scale: Optional[float] = None):
    if bias is not None:
        x = x + bias
    if scale is None:
        scale = 1.0
    else:
        x = x - 1
    return x * scale


def while_on_list(values: List[int]):
    product = 1
    while len(values) > 0:
        product *= values.pop()
    return product
