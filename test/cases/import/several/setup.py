from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    name="several",
    ext_modules=[
        CppExtension("norm_cpp", ["norm/norm.cpp"]),
        CppExtension("pool_cpp", ["pool/pool.cpp"], extra_compile_args=["-O1", "-DPOOL_SCALE=3"]),
    ],
    cmdclass={"build_ext": BuildExtension},
)
