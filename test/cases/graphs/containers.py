"""Functions for torch.jit.script: lists, dictionaries, tuples, comprehensions, augmented assignment."""

from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor


def list_of_tensors(x):
    parts = [x, x + 1]
    parts.append(x.t())
    parts += [torch.relu(x)]
    parts[0] = parts[1] * 2
    return torch.cat(parts, dim=0), len(parts), parts[-1]


def comprehensions(xs: List[Tensor], sizes: List[int]):
    doubled = [x * 2 for x in xs]
    shifted = [s + 1 for s in sizes]
    return torch.stack([torch.relu(x) for x in doubled]), shifted


def dictionary_counts(words: List[str]) -> Dict[str, int]:
    counts: Dict[str, int] = {}
    for word in words:
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def dictionary_of_tensors(x, names: List[str]):
    table = {"sum": x.sum(), "mean": x.mean()}
    for name in names:
        table[name] = table["sum"] * 2
    total = torch.zeros(1)
    for key, value in table.items():
        if key != "mean":
            total = total + value
    return total, list(table.keys())


def dictionary_comprehension(names: List[str]):
    return {name: len(name) for name in names}


def tuples(pair: Tuple[Tensor, int], x):
    first, count = pair
    (a, b), c = (first, x), count + 1
    swapped = b, a
    return swapped[0] - swapped[1], (c, count)


def slices_and_indices(x, order: Tensor, n: int):
    y = x[1:, :-1]
    z = x[..., 0]
    w = x[order]
    v = x[:, None, n]
    return y.sum() + z.sum() + w.sum() + v.sum(), x[::2]


def augmented_assignment(x, n: int):
    x += 1
    x *= 2
    x -= x.mean()
    x /= n
    n += 3
    n *= n
    x[0] += 1
    x[1:3] *= 2
    return x, n


def assign_slices(x, mask: Tensor):
    x[0] = 1.0
    x[1, 2:] = 0
    x[mask] = -1.0
    return x


def zip_and_enumerate(xs: List[Tensor], weights: List[float]):
    total = torch.zeros(1)
    for i, (x, weight) in enumerate(zip(xs, weights)):
        total = total + x.sum() * weight * i
    return total


def optional_list(xs: List[Optional[Tensor]]):
    found: List[Tensor] = []
    for x in xs:
        if x is not None:
            found.append(x)
    return found


def nested_containers(n: int):
    table: Dict[str, List[Tuple[int, float]]] = {}
    for i in range(n):
        key = "even" if i % 2 == 0 else "odd"
        if key not in table:
            empty: List[Tuple[int, float]] = []
            table[key] = empty
        table[key].append((i, i / 2))
    return table
