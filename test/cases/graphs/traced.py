"""Functions for torch.jit.trace, on x of (3, 4), y of (4,) and k of (3,), int64."""

import torch
import torch.nn.functional as F
from torch import Tensor


def arithmetic(x: Tensor, y: Tensor, k: Tensor):
    a = x + 10
    b = 1 - y
    c = 2 / (x + 1.5)
    d = 3 * a - 2.5
    e = torch.floor_divide(d, 2) % 3
    return a + b, c * d, e / 4, 5 + torch.neg(y), torch.div(x, 2, rounding_mode="floor")


def arithmetic_functions(x: Tensor, y: Tensor, k: Tensor):
    a = torch.add(x, 2, alpha=3)
    b = torch.sub(a, y, alpha=2)
    c = torch.mul(b, 0.5).add(1)
    return c.div(3), torch.rsub(c, 2), c.clamp(0, 1), torch.where(c > 0, c, y)


def in_place(x: Tensor, y: Tensor, k: Tensor):
    z = x.clone()
    z += 1
    z *= y
    z -= 2
    z /= 4
    z.add_(1, alpha=2).mul_(3)
    return z


def comparisons(x: Tensor, y: Tensor, k: Tensor):
    mask = (x > 0) & (x <= 0.5) | (y == 1)
    return mask.to(x.dtype) * y, torch.logical_not(mask), x.masked_fill(mask, 0.0)


def integers(x: Tensor, y: Tensor, k: Tensor):
    return k & 1, k**2, k % 2, k + 1, 7 - k, k * 1.5, k | 4


def powers(x: Tensor, y: Tensor, k: Tensor):
    return x**2, 2**x, x**0.5, torch.pow(x, 3), x.sqrt().square()


def sizes(x: Tensor, y: Tensor, k: Tensor):
    rows, columns = x.size(0), x.size(1)
    flat = x.view(rows * columns)
    pairs = x.reshape(-1, columns // 2)
    return flat, pairs, x / rows, torch.zeros(columns, rows + 1), x.expand(2, rows, columns)


def slices(x: Tensor, y: Tensor, k: Tensor):
    return x[1], x[:, 1:], x[0, ::2], x[:, 1:3].sum(), x.transpose(0, 1)[-1], x[k]


def lists(x: Tensor, y: Tensor, k: Tensor):
    parts = torch.split(x, 2, dim=1)
    rows = torch.unbind(x)
    top, places = torch.topk(x, 2, dim=1)
    return torch.cat([parts[1], parts[0]], 1), torch.stack([rows[2], y]), top, places


def loops(x: Tensor, y: Tensor, k: Tensor):
    for i in range(3):
        x = x * y + i
        if i == 1:
            x = torch.relu(x)
    return x


def reductions(x: Tensor, y: Tensor, k: Tensor):
    largest, places = x.max(dim=1)
    return x.sum(), x.mean(1), largest, places, x.var(dim=0), torch.argmax(x), x.amin(0)


def new_tensors(x: Tensor, y: Tensor, k: Tensor):
    zeros = torch.zeros_like(x)
    ones = torch.ones([2, 3])
    count = torch.arange(4)
    filled = torch.full([4], 2.5)
    return zeros + x, ones, count, filled * y


def dtypes(x: Tensor, y: Tensor, k: Tensor):
    return x.to(torch.float64), k.float(), x.type_as(k), k.to(torch.bool)


def layers(x: Tensor, y: Tensor, k: Tensor):
    hidden = F.relu(F.linear(x, x, None))
    normal = F.layer_norm(x, [4], y, y)
    return torch.softmax(hidden, dim=-1), normal, torch.sigmoid(x) * x, F.gelu(x)


def swish_by_hand(x: Tensor, y: Tensor, k: Tensor):
    s = torch.sigmoid(x)
    return s * (1 + x * (1 - s))


def product(x: Tensor, y: Tensor, k: Tensor):
    outer = torch.outer(y, y)
    return x.matmul(outer), torch.einsum("ij,jk->ik", [x, outer]), x @ y
