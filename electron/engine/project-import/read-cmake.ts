import fs from 'node:fs/promises'
import path from 'node:path'

import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import { joinInside } from '../project/inside'
import { installCommand } from '../toolchain/pkg-config'
import { choosePython } from './choose-python'
import { cmakeExtensions } from './cmake-extensions'
import { cmakeFile, CMakeFolder, describeForCMake } from './configure-cmake'
import type { CMakeDescription, ConfiguredProject } from './configure-cmake'
import { pairExtensions } from './paired-extensions'
import type { ExtensionPair } from './paired-extensions'
import type { ProposalDraft } from './proposal-draft'
import type { ImportRequest, ReadRepository } from './repository'

/** An option() of a project, with its line. */
interface CMakeOption {
  name: string
  file: string
  line: number
}

/** CMake files that are searched for options. */
const mostSearched = 200

/** The options that the project's own CMake files declare. */
async function findOptions(folder: string, files: readonly string[]): Promise<CMakeOption[]> {
  const own = files.filter((file) => /(^|\/)CMakeLists\.txt$|\.cmake$/.test(file))
  const found: CMakeOption[] = []
  for (const file of own.slice(0, mostSearched)) {
    const text = await fs.readFile(path.join(folder, file), 'utf8').catch(() => '')
    for (const match of text.matchAll(/^[ \t]*(?:cmake_dependent_)?option\s*\(\s*(\w+)/gim)) {
      const [, name = ''] = match
      found.push({ name, file, line: text.slice(0, match.index).split('\n').length })
    }
  }
  return found
}

/** The arguments that scikit-build-core or a user would give: torch's package, this Python, the build type. */
function configureArguments(
  { prefixes, pyproject }: CMakeDescription,
  python: string,
  wanted: readonly string[],
): string[] {
  const defined: Record<string, string> = {
    CMAKE_BUILD_TYPE: pyproject?.buildType ?? 'Release',
    CMAKE_PREFIX_PATH: prefixes.join(';'),
    Python_EXECUTABLE: python,
    Python3_EXECUTABLE: python,
    PYTHON_EXECUTABLE: python,
    // Both make sources and flags of the build folder.
    CMAKE_DISABLE_PRECOMPILE_HEADERS: 'ON',
    CMAKE_UNITY_BUILD: 'OFF',
    ...(pyproject && {
      SKBUILD: '2',
      SKBUILD_PROJECT_NAME: pyproject.name,
      SKBUILD_PROJECT_VERSION: pyproject.version === '' ? '0.0.0' : pyproject.version,
    }),
    ...pyproject?.definitions,
  }
  return [
    ...Object.entries(defined).map(([name, value]) => `-D${name}=${value}`),
    ...(pyproject?.arguments ?? []),
    ...wanted.map((one) => `-D${one}`),
  ]
}

/** Offers the options that this configuring knows, with their values. */
function offerOptions(
  draft: ProposalDraft,
  options: readonly CMakeOption[],
  switches: ReadonlyMap<string, boolean>,
): void {
  for (const { name, file, line } of options) {
    const isOn = switches.get(name)
    if (isOn === undefined) continue
    draft.offer({ name, value: isOn ? 'ON' : 'OFF', isOption: true, file, line })
  }
}

function remarkOnFailure(
  draft: ProposalDraft,
  { error }: Extract<Result<unknown>, { ok: false }>,
  which: string,
): void {
  draft.remark(`CMake fails${which}: ${error.message}`, {
    ...(error.file !== undefined && { file: error.file }),
    ...(error.line !== undefined && { line: error.line }),
  })
}

/** Whoever names a value has chosen one. */
const isDefined = (name: string, args: readonly string[]): boolean =>
  args.some((one) => one.startsWith(`-D${name}=`) || one.startsWith(`-D${name}:`))

/** A folder that CMake configures, with what all its runs have. */
interface Configuring {
  draft: ProposalDraft
  folder: string
  sourceFolder: string
  cmake: CMakeFolder
  args: string[]
}

/**
 * The libraries of a configured project. Where an option switches CUDA, they are read with and without it.
 * @param first configured with the options' defaults
 */
async function pairsOf(
  { draft, folder, sourceFolder, cmake, args }: Configuring,
  first: ConfiguredProject,
  options: readonly CMakeOption[],
): Promise<ExtensionPair[]> {
  const at = { folder, sourceFolder }
  const read = cmakeExtensions(first, at)
  for (const { text, file, line } of read.remarks) draft.remark(text, { file, line })
  const option = options.find(
    ({ name }) => /CUDA|GPU/.test(name) && first.switches.has(name) && !isDefined(name, args),
  )
  if (!option) {
    offerOptions(draft, options, first.switches)
    return pairExtensions(read.extensions, read.extensions)
  }
  const isOn = first.switches.get(option.name) ?? false
  const definition = `${option.name}=${isOn ? 'OFF' : 'ON'}`
  const second = await cmake.configure(sourceFolder, [...args, `-D${definition}`])
  if (!second.ok) {
    remarkOnFailure(draft, second, ` with ${definition}`)
    offerOptions(draft, options, first.switches)
    return pairExtensions(read.extensions, read.extensions)
  }
  // Both values of this one are in the proposal.
  const others = options.filter((one) => one !== option)
  offerOptions(draft, others, first.switches)
  const other = cmakeExtensions(second.value, at)
  for (const { text, file, line } of other.remarks) draft.remark(text, { file, line })
  return isOn
    ? pairExtensions(other.extensions, read.extensions)
    : pairExtensions(read.extensions, other.extensions)
}

/**
 * Configures a folder with CMake, and reads the libraries that link torch. Why that fails is a remark.
 * @returns undefined where there is nothing to propose from CMake
 * Errors: no Python (`toolchain.missing`).
 */
export async function readCMake(
  installation: Installation,
  { folder, python: wanted, definitions = [] }: ImportRequest,
  files: readonly string[],
  draft: ProposalDraft,
): Promise<Result<ReadRepository | undefined>> {
  const python = await choosePython(installation, folder, wanted)
  if (!python.ok) return python
  const described = await describeForCMake(installation, folder, python.value)
  const { pyproject } = described
  const sourceFolder = pyproject?.sourceFolder ?? '.'
  const top = path.join(sourceFolder, cmakeFile)
  if (joinInside(folder, top) === undefined || !files.includes(top)) return ok(undefined)
  const cmake = await CMakeFolder.open(installation, folder, python.value)
  if (!cmake.ok) {
    const isMissing = cmake.error.code === 'toolchain.missing'
    draft.remark(cmake.error.message, {
      file: top,
      command: isMissing ? installCommand(['cmake']) : '',
    })
    return ok(undefined)
  }
  try {
    const args = configureArguments(described, python.value, definitions)
    const first = await cmake.value.configure(sourceFolder, args)
    if (!first.ok) {
      remarkOnFailure(draft, first, '')
      return ok(undefined)
    }
    const options = await findOptions(folder, files)
    const configuring = { draft, folder, sourceFolder, cmake: cmake.value, args }
    const pairs = await pairsOf(configuring, first.value, options)
    if (pairs.length === 0)
      draft.remark(
        'No library in the CMake files links libtorch, which find_package(Torch) finds.',
        { file: top },
      )
    const { model, version } = first.value
    return ok({
      source: 'cmake',
      file: top,
      python: python.value,
      packageName: pyproject?.name ?? model.projectName,
      version: pyproject?.version ?? version,
      packageFile: pyproject ? 'pyproject.toml' : top,
      packageLine: 0,
      pairs,
    })
  } finally {
    await cmake.value.close()
  }
}
