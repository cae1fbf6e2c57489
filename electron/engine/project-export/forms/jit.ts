import type { ExportedProject } from '../exported-project'
import { joinTrees, treeIn, treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { supportFolder } from '../exported-sources'
import { pythonTests } from '../templates/python-tests'
import { codeBlock, readmeOf, testSection } from '../templates/readme'
import { ok } from '../../../contract/outcome'
import type { Form } from '../form'
import type { Proof } from '../proof/proof'
import { provePython } from '../proof/steps'

const literal = (text: string): string => JSON.stringify(text)

function here(items: readonly string[]): string[] {
  return items.map(
    (item) => `        ${item === '.' ? 'str(HERE)' : `str(HERE / ${literal(item)})`},`,
  )
}

const pkgConfig = (names: readonly string[]): string[] => [
  'def pkg_config(what):',
  '    """Flags of the packages that the sources need."""',
  `    command = ["pkg-config", what, ${names.map(literal).join(', ')}]`,
  '    return subprocess.check_output(command, text=True).split()',
  '',
  '',
]

/** The flags that both ways of compiling are given. */
function flagLines(project: ExportedProject): string[] {
  const { manifest, sources } = project
  const cflags = [
    ...sources.definitions
      .filter((one) => !one.startsWith('TORCH_EXTENSION_NAME='))
      .map((one) => `-D${one}`),
    ...manifest.cflags,
  ].map(literal)
  const packages = manifest.pkgConfig.length > 0
  const list = (own: readonly string[]): string[] => (own.length > 0 ? [`[${own.join(', ')}]`] : [])
  const line = (name: string, parts: readonly string[]): string[] =>
    parts.length > 0 ? [`    ${name}=${parts.join(' + ')},`] : []
  const fromPackages = (what: string): string[] => (packages ? [`pkg_config("${what}")`] : [])
  const withCuda = (own: readonly string[]): string[] =>
    own.length > 0 ? [`([${own.map(literal).join(', ')}] if WITH_CUDA else [])`] : []
  const macros = withCuda(manifest.cudaDefines.map((one) => `-D${one}`))
  return [
    ...line('extra_cflags', [...fromPackages('--cflags'), ...list(cflags), ...macros]),
    ...line('extra_cuda_cflags', [...list(manifest.cudaCflags.map(literal)), ...macros]),
    ...line('extra_ldflags', [
      ...fromPackages('--libs'),
      ...list(manifest.ldflags.map(literal)),
      ...withCuda(manifest.cudaLdflags),
    ]),
  ]
}

/** Whether something depends on CUDA besides the sources. */
const hasCudaFlags = ({ manifest }: ExportedProject): boolean =>
  manifest.cudaDefines.length + manifest.cudaLdflags.length > 0

function header(
  project: ExportedProject,
  says: readonly string[],
  imports: readonly string[],
): string[] {
  const packages = project.manifest.pkgConfig.length > 0
  const standard = [...(packages ? ['import subprocess'] : []), ...imports]
  return [
    `"""${says.join('\n')}`,
    '"""',
    '',
    ...(standard.length > 0 ? [...standard, ''] : []),
    'import torch.utils.cpp_extension',
    '',
  ]
}

/** The kernels are for a libtorch that knows GPUs, and for machines with nvcc. */
export const cudaCondition = [
  '# With a CPU build of PyTorch, or without the CUDA toolkit,',
  '# the library has only its CPU part.',
  'WITH_CUDA = torch.version.cuda is not None and torch.utils.cpp_extension.CUDA_HOME is not None',
]

function loadScript(project: ExportedProject): string {
  const { name, manifest, sources } = project
  const pathsOf = (wanted: boolean): string[] =>
    sources.compiled.filter((one) => one.conditional === wanted).map((one) => one.path)
  const [always, conditional] = [pathsOf(false), pathsOf(true)]
  return [
    ...header(
      project,
      [
        `Compiles and registers the operators of ${name} on import.`,
        '',
        'The compiled library is kept in TORCH_EXTENSIONS_DIR.',
        'The default is ~/.cache/torch_extensions.',
        'In a notebook, restart the Jupyter kernel after you change a source:',
        'a process can register an operator only once.',
      ],
      ['from pathlib import Path'],
    ),
    'HERE = Path(__file__).parent',
    '',
    ...(manifest.pkgConfig.length > 0 ? ['', ...pkgConfig(manifest.pkgConfig)] : []),
    ...(conditional.length > 0 || hasCudaFlags(project) ? cudaCondition : []),
    ...(conditional.length > 0
      ? ['CUDA_SOURCES = [', ...here(conditional).map((line) => line.slice(4)), ']']
      : []),
    ...(conditional.length > 0 || hasCudaFlags(project) ? [''] : []),
    'torch.utils.cpp_extension.load(',
    `    name=${literal(name)},`,
    '    sources=[',
    ...here(always),
    ...(conditional.length > 0 ? ['        *(CUDA_SOURCES if WITH_CUDA else []),'] : []),
    '    ],',
    '    extra_include_paths=[',
    ...here(sources.includeFolders),
    '    ],',
    ...flagLines(project),
    '    # The library registers operators with the dispatcher. It is not a Python module.',
    '    is_python_module=False,',
    ')',
  ].join('\n')
}

/** load_inline takes one text: a project of one source that includes no file of its own. */
function inlineSource(project: ExportedProject): string | undefined {
  const { sources } = project
  const [only] = sources.compiled
  const single = sources.compiled.length === 1 && sources.texts.length === 1
  if (!only || !single || only.cuda || sources.usesSupport) return undefined
  const text = sources.files.get(only.path)?.toString()
  return text?.includes('"""') === true ? undefined : text
}

function inlineScript(project: ExportedProject, source: string): string {
  const { name, manifest } = project
  return [
    ...header(
      project,
      [
        `Compiles and registers the operators of ${name} on import, from the source in this file.`,
        '',
        `This file does the same as load_${name}.py, with load_inline instead of load.`,
      ],
      [],
    ),
    `SOURCE = r"""`,
    source.trimEnd(),
    '"""',
    '',
    ...(manifest.pkgConfig.length > 0 ? ['', ...pkgConfig(manifest.pkgConfig)] : []),
    ...(hasCudaFlags(project) ? [...cudaCondition, ''] : []),
    'torch.utils.cpp_extension.load_inline(',
    `    name=${literal(name)},`,
    '    cpp_sources=SOURCE,',
    ...flagLines(project),
    '    is_python_module=False,',
    '    # The source includes the headers that it needs. Without no_implicit_headers,',
    '    # torch/extension.h is added, and the compile takes half a minute more.',
    '    no_implicit_headers=True,',
    ')',
  ].join('\n')
}

/** Python files that compile the operators when they are imported. */
function jitFiles(project: ExportedProject): FileTree {
  const { name } = project
  const inline = inlineSource(project)
  const readme = readmeOf(project, `${name}, compiled on import`, [
    codeBlock(
      'python',
      `import load_${name}  # compiles the first time, loads after that`,
      'import torch',
    ),
    `The import needs a C++ compiler and ninja (\`pip install ninja\`). \`load_${name}.py\` compiles the files of this folder${inline === undefined ? '' : `. \`inline_${name}.py\` contains the source, so it works without the other files`}.`,
    ...(inline === undefined
      ? [
          `There is no \`load_inline\` variant: \`load_inline\` needs a single C++ source without project headers${project.sources.usesSupport ? `, but these sources need \`${supportFolder}\`` : ''}.`,
        ]
      : []),
    ...testSection(project, 'python -m unittest discover tests'),
  ])
  return joinTrees(
    project.sources.files,
    treeOf({
      [`load_${name}.py`]: loadScript(project),
      ...(inline === undefined ? {} : { [`inline_${name}.py`]: inlineScript(project, inline) }),
      'README.md': readme,
      ...(project.program === '' ? {} : { 'tests/program.py': Buffer.from(project.program) }),
    }),
    treeIn(
      'tests',
      pythonTests(project, {
        standard: ['import sys', 'from pathlib import Path'],
        load: [
          'sys.path.insert(0, str(Path(__file__).parents[1]))',
          `import load_${name}  # noqa: E402, F401, compiles and registers the operators`,
        ],
        program: 'import program',
      }),
    ),
  )
}

/** Compiles on import, then makes the tests; the single-file variant is compiled by itself. */
async function proveJit(proof: Proof, files: readonly string[]): Promise<void> {
  const { python } = proof.tools
  if (!proof.has(python, 'compile and call in Python')) return
  const { name } = proof.project
  const compiled = await proof.run('compile with load', [
    [python.path, '-c', `import load_${name}`],
  ])
  if (!compiled) return
  await provePython(proof, python.path, files)
  if (!files.includes(`inline_${name}.py`)) return
  await proof.run(
    'compile with load_inline',
    [[python.path, '-c', `import torch, inline_${name}; print(torch.ops.${firstOperator(proof)})`]],
    { env: { TORCH_EXTENSIONS_DIR: proof.beside('inline') } },
  )
}

function firstOperator(proof: Proof): string {
  return (proof.project.operators[0]?.name ?? '').replace('::', '.')
}

export const form: Form = {
  id: 'jit',
  order: 6,
  purpose: 'Python files that compile the operators on import, with load or load_inline',
  needs: '',
  tools: ['python'],
  files: (project) => ok(jitFiles(project)),
  prove: proveJit,
}
