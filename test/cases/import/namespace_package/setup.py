from pathlib import Path

from setuptools import setup
from torch.utils import cpp_extension

here = Path(__file__).parent

setup(
    ext_modules=[
        cpp_extension.CppExtension(
            "acme.ops._C",
            [str(file.relative_to(here)) for file in sorted(here.rglob("csrc/**/*.cpp"))],
            py_limited_api=True,
            define_macros=[("Py_LIMITED_API", "0x03090000")],
        )
    ],
    cmdclass={"build_ext": cpp_extension.BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
