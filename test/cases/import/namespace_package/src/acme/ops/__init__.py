import torch

from . import _C  # noqa: F401

negated = torch.ops.acme.negated
