import type { ClassDetail, OperatorDetail } from '../../../contract/operators'
import { minorVersion, summaryOf } from '../exported-project'
import type { ExportedProject } from '../exported-project'
import { saysOfTests } from './python-tests'
import { parseMethod, shortNumbers } from './schema-types'

/** Paragraphs and code blocks, one blank line between them. */
export function markdown(...parts: readonly (string | readonly string[])[]): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : part.join('\n')))
    .filter((part) => part !== '')
    .join('\n\n')
}

export function codeBlock(language: string, ...lines: readonly string[]): string {
  return ['```' + language, ...lines, '```'].join('\n')
}

export function operatorList(operators: readonly OperatorDetail[]): string[] {
  return operators.map(({ schema, doc }) => {
    const said = doc.split('\n')[0] ?? ''
    return `- \`${shortNumbers(schema)}\`${said === '' ? '' : `: ${said}`}`
  })
}

/** Classes with their methods, and how to make one where no header says what it is. */
function classSection(classes: readonly ClassDetail[]): (string | string[])[] {
  const methodsOf = ({ methods }: ClassDetail): string[] =>
    methods.flatMap(({ schema }) => {
      const method = parseMethod(schema)
      if (!method || /^__[gs]etstate__$/.test(method.name)) return []
      const given = method.parameters.map((one) => `${one.type} ${one.name}`)
      return [`\`${method.name}(${given.join(', ')})\``]
    })
  const [first] = classes
  const made = first?.methods
    .map(({ schema }) => parseMethod(schema))
    .find((one) => one?.name === '__init__')
  const given = ['object', ...(made?.parameters ?? []).map(({ name }) => name)]
  return [
    classes.map((one) => `- \`torch.classes.${one.name}\`: ${methodsOf(one).join(', ')}`),
    'Python and TorchScript create objects with these names. C++ does not need a header of the class:',
    codeBlock(
      'cpp',
      '#include <torch/custom_class.h>',
      '',
      `const auto type = torch::getCustomClass("__torch__.torch.classes.${first?.name ?? ''}");`,
      'const c10::IValue object = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);',
      `type->getMethod("__init__")({${given.join(', ')}});`,
    ),
  ]
}

/** Which libtorch exports serve that use its C++ interface. */
function boundVersions({ toolchain: { libtorch } }: ExportedProject): string {
  return [
    `libtorch ${libtorch.version} and C++${libtorch.cxxStandard}. Compiled files need libtorch ${minorVersion(libtorch.version)}, which keeps its C++ ABI`,
    'only within a minor version. For another minor version, compile the sources again.',
  ].join('\n')
}

/**
 * The README of an export: what it is, the form's own sections, what it holds, which libtorch it serves, its licence.
 */
export function readmeOf(
  project: ExportedProject,
  title: string,
  sections: readonly string[],
  versions = boundVersions(project),
): string {
  const { manifest, classes } = project
  const packages = manifest.systemPackages
  return markdown(
    `# ${title}`,
    `${summaryOf(manifest)}.`,
    ...sections,
    '## Operators',
    operatorList(project.operators),
    ...(classes.length > 0 ? ['## Classes', ...classSection(classes)] : []),
    '## Versions',
    versions,
    ...(packages.length > 0
      ? [`Needed system packages (Debian names): ${packages.join(', ')}.`]
      : []),
    ...(manifest.license === undefined ? [] : [`Licence: ${manifest.license}.`]),
    `Exported by Opsmith. \`opsmith-export.json\` lists the files that were written. The next export overwrites your changes only if you choose so.`,
  )
}

/** How the tests of a Python export are made, and what they do; [] where there are none. */
export function testSection(project: ExportedProject, command: string): string[] {
  const says = saysOfTests(project)
  return says === '' ? [] : ['## Test', codeBlock('shell', command), `The tests ${says}.`]
}

/** How CMake and builds by hand find libtorch. */
export const torchPrefix = '"$(python3 -c \'import torch; print(torch.utils.cmake_prefix_path)\')"'

/** Why a library of operators must be linked although nothing of it is named. */
export const noAsNeeded = [
  'An application does not use symbols of this library: the library registers its operators when it is',
  'loaded. Linkers drop a library whose symbols are not used, and the application then fails with',
  '"Unknown builtin op". To keep the library, put `-Wl,--no-as-needed` before it.',
]
