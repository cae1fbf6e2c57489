import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

if not torch.cuda.is_available():
    raise RuntimeError("needs_cuda needs a GPU")

setup(
    name="needs_cuda",
    ext_modules=[
        CUDAExtension("needs_cuda", ["bind.cpp", "kernel.cu"], extra_compile_args={"nvcc": ["-arch=sm_90a"]})
    ],
    cmdclass={"build_ext": BuildExtension},
)
