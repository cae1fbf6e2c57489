import importlib.machinery
import os.path as osp

import torch

for name in ["_version", "_gather"]:
    finder = importlib.machinery.PathFinder()
    cuda = finder.find_spec(f"{name}_cuda", [osp.dirname(__file__)])
    spec = cuda or finder.find_spec(f"{name}_cpu", [osp.dirname(__file__)])
    if spec is None:
        raise ImportError(f"There is no library {name} in {osp.dirname(__file__)}.")
    torch.ops.load_library(spec.origin)

if torch.cuda.is_available() and torch.ops.optional_cuda.cuda_version() == -1:
    raise RuntimeError("optional_cuda was built without CUDA.")
