import os
import os.path as osp
from glob import glob
from itertools import product

import torch
from setuptools import find_packages, setup
from torch.__config__ import parallel_info
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

WITH_CUDA = torch.cuda.is_available() and CUDA_HOME is not None
suffixes = ["cpu", "cuda"] if WITH_CUDA else ["cpu"]
if os.getenv("FORCE_ONLY_CPU", "0") == "1":
    suffixes = ["cpu"]


def get_extensions():
    extensions = []
    for main, suffix in product(sorted(glob(osp.join("csrc", "*.cpp"))), suffixes):
        define_macros = [("WITH_PYTHON", None)]
        extra_compile_args = {"cxx": ["-O3", "-std=c++17", "-Wno-sign-compare"]}
        if "backend: OpenMP" in parallel_info():
            extra_compile_args["cxx"] += ["-DAT_PARALLEL_OPENMP", "-fopenmp"]
        if suffix == "cuda":
            define_macros += [("WITH_CUDA", None)]
            extra_compile_args["nvcc"] = ["-O3", "--expt-relaxed-constexpr", "--use_fast_math"]
            extra_compile_args["nvcc"] += ["-gencode", "arch=compute_80,code=sm_80"]
        name = osp.basename(main)[:-4]
        sources = [main]
        path = osp.join("csrc", "cpu", f"{name}_cpu.cpp")
        if osp.exists(path):
            sources += [path]
        path = osp.join("csrc", "cuda", f"{name}_cuda.cu")
        if suffix == "cuda" and osp.exists(path):
            sources += [path]
        Extension = CppExtension if suffix == "cpu" else CUDAExtension
        extensions.append(
            Extension(
                f"optional_cuda._{name}_{suffix}",
                sources,
                include_dirs=["csrc"],
                define_macros=define_macros,
                extra_compile_args=extra_compile_args,
                extra_link_args=["-s"],
                libraries=["cublas"] if suffix == "cuda" else [],
            )
        )
    return extensions


setup(
    name="optional_cuda",
    version="1.4.2",
    ext_modules=get_extensions(),
    cmdclass={"build_ext": BuildExtension.with_options(no_python_abi_suffix=True)},
    packages=find_packages(),
)
