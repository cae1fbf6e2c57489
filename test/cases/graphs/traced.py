"""Functions for torch.jit.trace, on x of (3, 4), y of (4,) and k of (3,), int64."""

import math
from typing import List, Tuple

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


def attention(x: Tensor, y: Tensor, k: Tensor):
    d = x.size(-1)
    scores = torch.matmul(x, x.transpose(0, 1)) / d**0.5
    return torch.softmax(scores, dim=-1), x * d**-0.5, x / math.sqrt(d), scores * (1 / d)


def size_arithmetic(x: Tensor, y: Tensor, k: Tensor):
    n, m = x.size(0), x.size(1)
    a = x * -n + abs(n) - n / 2
    b = x * (1 + n) - (2 - n), x * (2 * n), x * (n % 2), x * (7 // n), x * (7 % n)
    c = x * (n + 0.5), x * (0.5 * n), x * (n - 0.5), x * (1.0 / n), x * (n / 2 + 1)
    return a, b, c, x * (n / m), x * (n % m), x * (n - m), x * (n // m), x * (m / n - 1)


def size_powers(x: Tensor, y: Tensor, k: Tensor):
    n, m = x.size(0), x.size(1)
    return x * n**2, x * 2**n, x * 2.0**n, x * n**m, x**n, n**x, x * -(n**0.5)


def largest_sizes(x: Tensor, y: Tensor, k: Tensor):
    n, m = x.size(0), x.size(1)
    a = x * max(n, 3), x * max(3, n), x * min(n, 2), x * min(2, n)
    return a, x * max(n, m), x * min(n, m), x * max(x.shape), x * min(x.size())


def sizes_left_behind(x: Tensor, y: Tensor, k: Tensor):
    n = x.size(0)
    if n > 2:
        x = x + 1
    if n == x.size(1):
        x = x * 2
    return x * float(n), x * math.ceil(n / 2), x * int(n / 2), F.dropout(x, 1 / n, False), x * len(x)


def bits_of_sizes(x: Tensor, y: Tensor, k: Tensor):
    n = x.size(0)
    return x * (n & 1), x * (n | 4), x * (n ^ 1), x * (n << 1), x * (n >> 1), k & n


def sizes_beside_tensors(x: Tensor, y: Tensor, k: Tensor):
    n = x.size(0)
    return n / x, n * x, n + x, n - x, x > n, n < x, x == n, n >= x, n != x, 1 - n - x, -x + n


def sizes_as_arguments(x: Tensor, y: Tensor, k: Tensor):
    n = x.size(0)
    a = torch.where(x > n, x, n), x.masked_fill(x > 0, -1.0 / n), torch.where(x > 0, n, x)
    b = x.clamp(min=n), torch.clamp(x, max=n), x.fmod(n), x % n, torch.lerp(x, x, n / 2)
    c = torch.full_like(x, n), torch.full([2], n / 2), torch.linspace(0, n, 5), torch.add(x, x, alpha=n)
    return a, b, c, F.leaky_relu(x, n), F.layer_norm(x, [4], y, y, 1 / n), torch.arange(0, n, 2)


def sizes_written(x: Tensor, y: Tensor, k: Tensor):
    n = x.size(0)
    z = x.clone()
    z.fill_(n)
    z.masked_fill_(x > 0, n / 2)
    z += n
    z /= n**0.5
    z[n - 2] = 1.0
    z[:, :n] = n
    z[0, 0] = n
    z[:, n - 1] += 2
    return z


def sizes_in_lists(x: Tensor, y: Tensor, k: Tensor):
    a = x.view(list(x.shape[:-1]) + [2, 2])
    return a, x.new_zeros(x.shape), torch.zeros(x.shape[1:]), y.expand(x.shape)


def returned_sizes(x: Tensor, y: Tensor, k: Tensor):
    return x, x.numel() - 1, (x.size(0) / 2, y), x.shape, x.size(1) > 2, max(x.shape)


def returned_size(x: Tensor, y: Tensor, k: Tensor):
    return x.size(0)


def returned_list_of_sizes(x: Tensor, y: Tensor, k: Tensor) -> List[int]:
    return [x.size(0), x.size(1)]


def rows_and_columns(x: Tensor) -> Tuple[int, int]:
    return x.size(0), x.size(1)


def sizes_from_a_function(x: Tensor, y: Tensor, k: Tensor):
    rows, columns = rows_and_columns(x)
    return x.view(rows * columns), x * rows_and_columns(x)[1]


def ellipses(x: Tensor, y: Tensor, k: Tensor):
    a = x[..., :2], x[..., 0], x[..., -1], x[..., None], x[..., : x.size(1) - 1]
    return a, x.select(-1, 0), x.narrow(-1, 0, 2), x[:, None, :], x[..., :2].select(-1, 0), x[..., 1:]


def assigned(x: Tensor, y: Tensor, k: Tensor):
    z = x.clone()
    z[0] = 1.0
    z[1] = y
    z[1, 1] = 2.0
    z[..., 0] = -1
    z[:] = y
    z[1:, :2] = y[:2]
    z[0:2] = y[None]
    z[0] = y[0]
    z[0][1] = 2.0
    z[z > 0] = 0.0
    z[k[:2]] = 1.0
    z[...] = 0.5
    return z


def assigned_in_place(x: Tensor, y: Tensor, k: Tensor):
    z = x.clone()
    z[:, 1] += 2
    z[0] *= y
    z[..., 0] -= 1
    z[0][1] += 2.0
    z[z > 1] += 1
    row = z[0]
    row += 1
    w = k.clone()
    w[0] = 5
    w[1:] *= 2
    return z, w
