"""Models for torch.export: run as `export_models.py FOLDER`, writes FOLDER/*.pt2 and prints their facts as JSON."""

import json
import sys
import zipfile
from pathlib import Path

import torch
from torch.export import Dim, export, save


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)
        self.register_buffer("scale", torch.ones(8))

    def forward(self, x):
        return torch.relu(self.fc(x)) * self.scale


class Network(torch.nn.Module):
    """Submodules, a buffer that is written to, symbolic sizes, lists of tensors, a branch."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([Block(), Block()])
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x, k: int = 3):
        self.count.add_(1)
        for layer in self.layers:
            x = layer(x)
        a, b = torch.split(x, [4, 4], dim=-1)
        y = torch.cat([a, b, a], 1).view(x.shape[0] * 2, -1)
        c = torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (y,))
        return {"c": c[1:], "picked": c[:, torch.tensor([0, 1])], "k": k}, a.to(torch.bfloat16)


class Loops(torch.nn.Module):
    def forward(self, x):
        carry, ys = torch._higher_order_ops.scan(lambda c, t: (c + t, c * t), torch.zeros(3), x)
        start = torch.tensor(0)
        _, doubled = torch._higher_order_ops.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, s * 2), (start, carry)
        )
        return doubled, ys


@torch.library.custom_op("elsewhere::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@twice.register_fake
def _(x):
    return torch.empty_like(x)


class Foreign(torch.nn.Module):
    def forward(self, x):
        return torch.ops.elsewhere.twice(x) + 1


def facts(program):
    """Names of operators in order, as FX counts them: getitem is part of what it takes from."""
    graph = program.graph_module.graph
    calls = [n for n in graph.nodes if n.op == "call_function" and n.target.__name__ != "getitem"]
    return {"targets": [str(n.target) for n in calls], "inputs": [n.name for n in graph.nodes if n.op == "placeholder"]}


folder = Path(sys.argv[1])
network = export(Network(), (torch.randn(6, 8),), dynamic_shapes={"x": {0: Dim("batch", min=2, max=64)}})
loops = export(Loops(), (torch.randn(5, 3),))
foreign = export(Foreign(), (torch.randn(2),))
for name, program in {"network": network, "loops": loops, "foreign": foreign}.items():
    save(program, str(folder / f"{name}.pt2"))

# The layout of PyTorch 2.1 to 2.7.
from torch._export.serde.serialize import serialize

artifact = serialize(network)
with zipfile.ZipFile(folder / "older.pt2", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("serialized_exported_program.json", artifact.exported_program)
    archive.writestr("serialized_state_dict.pt", artifact.state_dict)
    archive.writestr("version", "5.3")

from torch.export.pt2_archive._package import package_pt2

package_pt2(str(folder / "two.pt2"), exported_programs={"encoder": loops, "head": foreign})
torch.save({"weight": torch.zeros(2)}, folder / "weights.pt")
print(json.dumps({"network": facts(network), "loops": facts(loops)}))
