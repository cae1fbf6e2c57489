import os

import torch
from torch.utils.cpp_extension import load

here = os.path.dirname(os.path.abspath(__file__))
ops = load(
    name="clipped",
    sources=[os.path.join(here, "csrc", name) for name in sorted(os.listdir(os.path.join(here, "csrc")))],
    extra_cflags=["-O2", "-DCLIP_LIMIT=3"],
    extra_include_paths=[here],
    verbose=True,
)
clipped = ops.clipped


def main():
    print(clipped(torch.randn(3)))


if __name__ == "__main__":
    main()
