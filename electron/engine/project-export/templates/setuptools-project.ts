import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { summaryOf } from '../exported-project'
import type { ExportedProject } from '../exported-project'
import { joinTrees, treeIn, treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { moduleName, pythonName, pythonPackage } from './names'
import { packageReadme } from './package-readme'
import { pythonCall, pythonList } from './python-format'
import { packageNames, packageSource, packageStubs } from './python-package'
import { pythonTests } from './python-tests'

/** A package whose sources use libtorch's stable ABI alone: its wheel serves later libtorch too. */
export interface StableTarget {
  /** Macros that hold the sources to it. */
  definitions: readonly string[]
  /** The first libtorch that a wheel serves: "2.13". */
  from: string
}

const literal = (text: string): string => JSON.stringify(text)

function setupSource(
  project: ExportedProject,
  packageName: string,
  stable: StableTarget | undefined,
): string {
  const { manifest, sources, name } = project
  const module = moduleName(packageName)
  const pathsOf = (conditional: boolean): string[] =>
    sources.compiled.filter((one) => one.conditional === conditional).map((one) => one.path)
  const [always, conditional] = [pathsOf(false), pathsOf(true)]
  const cuda = sources.compiled.some((source) => source.cuda)
  // Without CUDA, sources that are left out leave a plain extension.
  const needsCuda = sources.compiled.some((source) => source.cuda && !source.conditional)
  const asksForCuda =
    conditional.length > 0 || manifest.cudaDefines.length + manifest.cudaLdflags.length > 0
  const optional = asksForCuda && !needsCuda
  const extension = optional ? 'EXTENSION' : needsCuda ? 'CUDAExtension' : 'CppExtension'
  const macroLine = (one: string): string =>
    `(${one.split(/=(.*)/s, 2).map(literal).join(', ')}${one.includes('=') ? '' : ', None'}),`
  const cudaMacros = manifest.cudaDefines.map(macroLine)
  const macros = [...sources.definitions, ...(stable?.definitions ?? [])]
    // BuildExtension defines it as the last part of the extension's name, which is the project's.
    .filter((one) => !one.startsWith('TORCH_EXTENSION_NAME='))
    .map(macroLine)
  const packages = manifest.pkgConfig.length > 0
  const [compile, link] = [manifest.cflags, manifest.ldflags]
  const linked = [
    ...(packages ? ['pkg_config("--libs")'] : []),
    ...(link.length > 0 ? [pythonList(link, '            ')] : []),
    ...(manifest.cudaLdflags.length > 0
      ? [`(${pythonList(manifest.cudaLdflags, '            ')} if WITH_CUDA else [])`]
      : []),
  ]
  const flags = cuda
    ? `{"cxx": ${packages ? 'pkg_config("--cflags") + ' : ''}${pythonList(compile, '            ')}, "nvcc": ${pythonList(manifest.cudaCflags, '            ')}}`
    : packages
      ? `pkg_config("--cflags")${compile.length > 0 ? ` + ${pythonList(compile, '            ')}` : ''}`
      : pythonList(compile, '            ')
  return [
    ...(packages ? ['import subprocess'] : []),
    'from pathlib import Path',
    '',
    ...(stable && !asksForCuda ? [] : ['import torch']),
    'from setuptools import setup',
    ...(asksForCuda
      ? [
          'from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension',
        ]
      : [`from torch.utils.cpp_extension import BuildExtension, ${extension}`]),
    '',
    ...(asksForCuda
      ? [
          '# With a CPU build of PyTorch, or without the CUDA toolkit,',
          '# the library has only its CPU part.',
          'WITH_CUDA = torch.version.cuda is not None and CUDA_HOME is not None',
          ...(conditional.length > 0 ? [`CUDA_SOURCES = ${pythonList(conditional, '')}`] : []),
          ...(optional ? ['EXTENSION = CUDAExtension if WITH_CUDA else CppExtension'] : []),
          '',
        ]
      : []),
    'HERE = Path(__file__).parent.resolve()',
    ...(stable
      ? []
      : [
          '# libtorch keeps its C++ ABI only within a minor version: the wheel needs',
          '# the minor version of torch that it was built with.',
          'MAJOR, MINOR = (int(part) for part in torch.__version__.split(".")[:2])',
        ]),
    '',
    ...(packages
      ? [
          '',
          'def pkg_config(what):',
          `    """Flags of the packages that the sources need."""`,
          `    command = ["pkg-config", what, ${manifest.pkgConfig.map(literal).join(', ')}]`,
          '    return subprocess.check_output(command, text=True).split()',
          '',
        ]
      : []),
    '',
    'class BuildOperators(BuildExtension):',
    '    """BuildExtension without the macro that makes torch/torch.h include Python\'s headers.',
    '',
    '    These headers do not compile with the limited API; the operators do not need them.',
    '    """',
    '',
    '    def build_extension(self, ext):',
    '        flags = ext.extra_compile_args',
    '        for one in flags.values() if isinstance(flags, dict) else [flags]:',
    '            if "-DTORCH_API_INCLUDE_EXTENSION_H" in one:',
    '                one.remove("-DTORCH_API_INCLUDE_EXTENSION_H")',
    '        super().build_extension(ext)',
    '',
    '',
    '# The operators register with the dispatcher, not with Python:',
    '# one wheel works with every Python from 3.9 on.',
    'setup(',
    '    ext_modules=[',
    `        ${extension}(`,
    `            "${module}.${name}",`,
    `            ${pythonList(always, '            ')}${conditional.length > 0 ? ' + (CUDA_SOURCES if WITH_CUDA else [])' : ''},`,
    '            # Absolute paths, because the compilers run in another folder.',
    '            include_dirs=[',
    ...sources.includeFolders.map((folder) =>
      folder === '.'
        ? '                str(HERE),'
        : `                str(HERE / ${literal(folder)}),`,
    ),
    '            ],',
    ...(macros.length > 0 || cudaMacros.length > 0
      ? [
          '            define_macros=[',
          ...macros.map((one) => `                ${one}`),
          `            ]${cudaMacros.length > 0 ? ` + ([${cudaMacros.join(' ')}] if WITH_CUDA else [])` : ''},`,
        ]
      : []),
    ...(cuda || packages || compile.length > 0 ? [`            extra_compile_args=${flags},`] : []),
    ...(linked.length > 0 ? [`            extra_link_args=${linked.join(' + ')},`] : []),
    '            py_limited_api=True,',
    '        )',
    '    ],',
    '    cmdclass={',
    '        # torch.ops.load_library needs the plain name, without an ABI suffix.',
    '        "build_ext": BuildOperators.with_options(no_python_abi_suffix=True)',
    '    },',
    '    options={"bdist_wheel": {"py_limited_api": "cp39"}},',
    ...(manifest.license === undefined ? [] : [`    license=${literal(manifest.license)},`]),
    ...(stable ? [] : ['    install_requires=[f"torch>={MAJOR}.{MINOR},<{MAJOR}.{MINOR + 1}"],']),
    ')',
  ].join('\n')
}

function projectToml(
  project: ExportedProject,
  packageName: string,
  stable: StableTarget | undefined,
): string {
  const { manifest } = project
  const module = moduleName(packageName)
  const dynamic = [
    // Without the stable ABI it depends on the torch that compiles.
    ...(stable ? [] : ['dependencies']),
    // As a text here setuptools takes it from 77 on, as a table until 2027.
    ...(manifest.license === undefined ? [] : ['license']),
  ]
  return [
    '[build-system]',
    'requires = ["setuptools>=61", "wheel", "torch", "ninja"]',
    'build-backend = "setuptools.build_meta"',
    '',
    '[project]',
    `name = ${literal(packageName)}`,
    `version = ${literal(manifest.version)}`,
    `description = ${literal(summaryOf(manifest))}`,
    'readme = "README.md"',
    'requires-python = ">=3.9"',
    ...(stable ? [`dependencies = ["torch>=${stable.from}"]`] : []),
    ...(dynamic.length > 0 ? [`dynamic = [${dynamic.map(literal).join(', ')}]`] : []),
    '',
    '[tool.setuptools]',
    '# Not next to the tests, so that the tests import the installed package with its library.',
    'package-dir = { "" = "python" }',
    `packages = [${literal(module)}]`,
    '',
    '[tool.setuptools.package-data]',
    `${module} = ["*.pyi", "py.typed"]`,
  ].join('\n')
}

/** Of the autograd.Function wrappers: the same result and gradients as the operator. */
function functionTests(project: ExportedProject, module: string): FileTree {
  const pairs = packageNames(project).pairs.flatMap((pair) => {
    const call = project.calls.find((one) => one.call.op === pair.op)
    const check = project.gradchecks.find(
      ({ entry }) =>
        entry.op === pair.op &&
        entry.expect !== 'failed' &&
        entry.second_order !== true &&
        (entry.dtype ?? 'float64') === 'float64',
    )
    return call && check ? [{ ...pair, call: call.name, check: check.name }] : []
  })
  if (pairs.length === 0) return new Map()
  return treeOf({
    'test_functions.py': [
      '"""Python functions and modules return the results and gradients of the operators."""',
      '',
      'import unittest',
      '',
      `import ${module}`,
      'import torch',
      'from recorded import check_call, check_gradients',
      '',
      '',
      'class Functions(unittest.TestCase):',
      ...pairs
        .flatMap((pair) => {
          const [apply, call] = [`${module}.${pair.function}.apply`, literal(pair.call)]
          return [
            `    def test_${pythonName(pair.function)}(self):`,
            `        """${pair.function} and ${pair.module} return the same as ${pair.op}"""`,
            ...pythonCall('        ', 'check_call', [apply, call]),
            ...pythonCall('        ', 'check_call', [`${module}.${pair.module}()`, call]),
            ...pythonCall('        ', 'check_gradients', [
              'torch.autograd.gradcheck',
              apply,
              literal(pair.check),
            ]),
            '',
          ]
        })
        .slice(0, -1),
      '',
      '',
      'if __name__ == "__main__":',
      '    unittest.main()',
    ].join('\n'),
  })
}

/**
 * A Python package: an extension without Python in it, wrappers, stubs and tests; for one minor version of libtorch
 * where `stable` is not given.
 */
export function setuptoolsFiles(project: ExportedProject, stable?: StableTarget): Result<FileTree> {
  const named = pythonPackage(project.manifest)
  if (!named.ok) return named
  const module = moduleName(named.value)
  const headers = [...project.sources.files.keys()].filter(
    (path) => !project.sources.compiled.some((source) => source.path === path),
  )
  return ok(
    joinTrees(
      project.sources.files,
      treeOf({
        'setup.py': setupSource(project, named.value, stable),
        'pyproject.toml': projectToml(project, named.value, stable),
        // Compiled sources come with the extension; what they include does not.
        'MANIFEST.in': [
          ...headers.map((path) => `include ${path}`),
          'recursive-include tests *.py *.pt',
        ]
          .sort()
          .join('\n'),
        [`python/${module}/__init__.py`]: packageSource(
          project,
          `${project.name}.so`,
          stable !== undefined,
        ),
        [`python/${module}/__init__.pyi`]: packageStubs(project),
        [`python/${module}/py.typed`]: Buffer.alloc(0),
        ...(project.program === ''
          ? {}
          : { [`python/${module}/program.py`]: Buffer.from(project.program) }),
        'README.md': packageReadme(project, named.value, stable?.from),
      }),
      treeIn(
        'tests',
        joinTrees(
          pythonTests(project, {
            standard: [],
            registering: module,
            load: [],
            program: `from ${module} import program`,
          }),
          functionTests(project, module),
        ),
      ),
    ),
  )
}
