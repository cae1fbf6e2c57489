import glob
import os
from pathlib import Path

import torch
from setuptools import find_namespace_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

HERE = Path(__file__).resolve().parent
VERSION = (HERE / "version.txt").read_text().strip()
(HERE / "template_ops" / "version.py").write_text(f"__version__ = '{VERSION}'\n")
os.symlink(HERE / "include", HERE / "template_ops" / "headers")
(HERE / "generated").mkdir(exist_ok=True)

library_name = "template_ops"
py_limited_api = torch.__version__ >= "2.6"


def get_extensions():
    debug_mode = os.getenv("DEBUG", "0") == "1"
    use_cuda = torch.cuda.is_available() and CUDA_HOME is not None
    extension = CUDAExtension if use_cuda else CppExtension
    extra_compile_args = {
        "cxx": [
            "-O2" if not debug_mode else "-O0",
            "-fdiagnostics-color=always",
            "-DPy_LIMITED_API=0x03090000",
            "-g",
        ],
        "nvcc": ["-O3" if not debug_mode else "-O0"],
    }
    extensions_dir = os.path.join(str(HERE), library_name, "csrc")
    sources = sorted(glob.glob(os.path.join(extensions_dir, "*.cpp")))
    if use_cuda:
        sources += sorted(glob.glob(os.path.join(extensions_dir, "cuda", "*.cu")))
    return [
        extension(
            f"{library_name}._C",
            sources,
            include_dirs=[str(HERE / "include"), str(HERE / "third_party" / "small" / "include")],
            extra_compile_args=extra_compile_args,
            py_limited_api=py_limited_api,
        )
    ]


setup(
    name="template-ops",
    version=VERSION,
    packages=find_namespace_packages(),
    ext_modules=get_extensions(),
    cmdclass={"build_ext": BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp39"}} if py_limited_api else {},
)
