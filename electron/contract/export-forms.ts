import { z } from 'zod'

/** What a project can be exported as, in the order in which they are listed. */
export const exportForm = z.enum([
  'library', // lib<name>.so for torch.ops.load_library, with a report of its ABI
  'cmake', // a CMake project with install rules and a package config
  'app', // a C++ application that loads a saved model and links the operators
  'setuptools', // a Python package: wheel, torch.ops wrappers, type stubs, tests
  'stable', // the same as an abi3 wheel on libtorch's stable ABI
  'jit', // torch.utils.cpp_extension.load and load_inline
  'addon', // an npm package with the Node addon
  'notebook', // a Jupyter notebook that loads the library and makes the calls
  'link', // a pkg-config file and Makefile lines for other build systems
])
export type ExportForm = z.infer<typeof exportForm>
export const exportForms = exportForm.options
