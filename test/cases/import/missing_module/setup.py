from setuptools import setup

import a_module_that_nobody_has
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    name="missing_module",
    ext_modules=[
        CppExtension(
            name="missing_module._C",
            sources=["src/add.cpp"],  # "not/this.cpp"
            define_macros=[("ADDED", "4")],
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
