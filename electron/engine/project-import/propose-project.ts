import fs from 'node:fs/promises'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { proposedText } from '../../contract/project-import'
import type { ProjectProposal } from '../../contract/project-import'
import type { Installation } from '../installation'
import { listTree } from '../project/list-tree'
import { isOccupying } from '../project/new-project'
import { parseManifest, readManifestText } from '../project/read-manifest'
import { isCuda } from '../project/sources'
import { emptySubmodules, fetchCommand } from '../project/submodules'
import { carryExtension } from './carry-extension'
import { carryModules } from './carry-modules'
import { choosePython } from './choose-python'
import { chooseExtensions, projectName } from './choose-extensions'
import { cmakeFile } from './configure-cmake'
import { findOperatorSources, otherFolders } from './find-operator-sources'
import { findLoadScripts } from './find-scripts'
import type { LoadScript } from './find-scripts'
import { pairExtensions } from './paired-extensions'
import type { ExtensionPair } from './paired-extensions'
import { ProposalDraft } from './proposal-draft'
import { readSetupText } from './read-setup-text'
import { readCMake } from './read-cmake'
import { readScripts } from './read-scripts'
import { recordSetup, variablesOf } from './recorded-setup'
import type { RecordedRun, RecordedSetup } from './recorded-setup'
import { remarkOnBindings } from './remark-on-bindings'
import type { ImportRequest, ReadRepository } from './repository'

const setupFile = 'setup.py'

async function textOf(file: string): Promise<string | undefined> {
  return await fs.readFile(file, 'utf8').catch(() => undefined)
}

function remarkOnRun(draft: ProposalDraft, run: RecordedRun, which: string): void {
  if (!run.error) return
  const { message, file, line, missingModule } = run.error
  draft.remark(`setup.py fails${which}: ${message}`, {
    file,
    line,
    command: missingModule === null ? '' : `pip install ${missingModule}`,
  })
}

/** What many programs read, and what says nothing of a project. */
const usualVariables =
  /^(PATH|HOME|CC|CXX|CFLAGS|LDFLAGS|VIRTUAL_ENV|TORCH_CUDA_ARCH_LIST|MAX_JOBS|CUDA_HOME|CUDA_PATH|(PYTHON|SETUPTOOLS|DISTUTILS|CONDA|PIP)_?.*)$/

/** Offers the variables that setup.py looks for, and those that are defined for it: each may change what is built. */
function offerVariables(
  draft: ProposalDraft,
  read: RecordedRun['environment'],
  definitions: readonly string[],
): void {
  for (const [name, value] of Object.entries(variablesOf(definitions)))
    draft.offer({ name, value, isOption: false, file: setupFile, line: 0 })
  for (const { name, line } of read) {
    if (!/^[A-Z][A-Z0-9_]+$/.test(name) || usualVariables.test(name)) continue
    draft.offer({ name, value: '', isOption: false, file: setupFile, line })
  }
}

/** The extensions of both runs, and remarks on what happened in them. */
function pairsOfRuns(
  draft: ProposalDraft,
  { cpu, cuda }: RecordedSetup,
  definitions: readonly string[],
): ExtensionPair[] {
  const failsAlways = cuda.error?.message === cpu.error?.message
  remarkOnRun(draft, cpu, failsAlways ? '' : ' without CUDA')
  if (!failsAlways) remarkOnRun(draft, cuda, ' with CUDA')
  if (cuda.standIns.includes('torch')) {
    draft.remark(
      'This Python has no torch, so Opsmith ran setup.py with a substitute for torch. The proposed flags and sources may be wrong if setup.py asks torch for values. To run setup.py with your torch, name the Python that has torch: opsmith init --python PATH.',
    )
  }
  offerVariables(draft, [...cpu.environment, ...cuda.environment], definitions)
  return pairExtensions(cpu.extensions, cuda.extensions).filter((pair) => {
    const one = pair.cpu ?? pair.cuda
    const hasSources = (one?.sources.length ?? 0) + (pair.cuda?.sources.length ?? 0) > 0
    if (!hasSources) {
      draft.remark(
        `setup.py lists no sources for the extension ${pair.name}: ${one?.kind ?? ''} builds the extension in another way.`,
        {
          file: setupFile,
          line: one?.line ?? 0,
        },
      )
    }
    return hasSources
  })
}

async function runSetup(
  installation: Installation,
  { folder, python: wanted, definitions = [] }: ImportRequest,
  draft: ProposalDraft,
): Promise<Result<ReadRepository>> {
  const python = await choosePython(installation, folder, wanted)
  if (!python.ok) return python
  const run = { folder, file: setupFile, python: python.value, definitions }
  const recorded = await recordSetup(installation, run)
  if (!recorded.ok) return recorded
  const { cpu, cuda } = recorded.value
  const { setup } = cpu.setup.line > 0 ? cpu : cuda
  const pairs = pairsOfRuns(draft, recorded.value, definitions)
  return ok({
    source: 'run',
    file: setupFile,
    python: python.value,
    packageName: setup.name,
    version: setup.version,
    packageFile: setupFile,
    packageLine: setup.line,
    pairs,
  })
}

/** Extensions read off the text: kernels are for CUDA only where setup.py asks whether there is CUDA. */
function pairsOfText(text: string, files: readonly string[]): ExtensionPair[] {
  const asksForCuda = /is_available\(\)|CUDA_HOME|WITH_CUDA|FORCE_CUDA/.test(text)
  return readSetupText(text, files).flatMap((one) => {
    const name = one.name === '' ? 'extension' : one.name
    const cuda = { ...one, name }
    const plain = one.sources.filter((source) => !isCuda(source))
    if (one.sources.length === 0) return []
    return asksForCuda && plain.length > 0
      ? [{ name, cpu: { ...cuda, sources: plain }, cuda }]
      : [{ name, cpu: cuda, cuda }]
  })
}

/** Where the package's name is written out in setup.py or pyproject.toml. */
function namedPackage(text: string): string {
  return /\bname\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1] ?? ''
}

function readText(text: string, files: readonly string[], draft: ProposalDraft): ReadRepository {
  draft.remark(
    'Opsmith took the list of sources from the text of setup.py, not from a run of setup.py: flags and computed values are missing.',
    {
      file: setupFile,
    },
  )
  return {
    source: 'text',
    file: setupFile,
    python: '',
    packageName: namedPackage(text.slice(Math.max(0, text.search(/\bsetup\s*\(/)))),
    version: '',
    packageFile: setupFile,
    packageLine: 0,
    pairs: pairsOfText(text, files),
  }
}

/** Adds the sources that were found without a build file. */
function carryFoundSources(
  draft: ProposalDraft,
  folder: string,
  files: readonly string[],
): boolean {
  const found = findOperatorSources(folder, files)
  const onlyKernels = found.every(({ file }) => isCuda(file))
  for (const { file, registers } of found) {
    const origin = registers
      ? `${file}, which registers operators`
      : `${file}, in or below the folder of a source that registers operators`
    draft.add(isCuda(file) && !onlyKernels ? 'cudaSources' : 'sources', [file], origin)
  }
  return found.length > 0
}

/** Other folders with a setup.py. */
function remarkOnOthers(draft: ProposalDraft, files: readonly string[]): void {
  const below = files.filter((file) => /^[^/]+(\/[^/]+)?\/setup\.py$/.test(file))
  for (const file of below) {
    draft.remark(`${file} builds another folder, which you can import separately.`, {
      file,
      command: `opsmith init ${path.dirname(file)}`,
    })
  }
}

/** What of a folder says what it builds, in the order in which it is asked. */
interface BuildFiles {
  hasSetup: boolean
  /** CMakeLists.txt of the folder, or one that pyproject.toml names. */
  cmake: string | undefined
  scripts: LoadScript[]
}

async function findBuildFiles(folder: string, files: readonly string[]): Promise<BuildFiles> {
  const pyproject = (await textOf(path.join(folder, 'pyproject.toml'))) ?? ''
  const named = /^\s*(?:cmake\.)?source-dir\s*=\s*["']([^"'\n]+)["']/m.exec(pyproject)?.[1] ?? '.'
  const below = pyproject.includes('scikit_build_core') ? path.join(named, cmakeFile) : cmakeFile
  return {
    hasSetup: files.includes(setupFile),
    cmake: [below, cmakeFile].find((file) => files.includes(file)),
    scripts: await chooseScripts(folder, files),
  }
}

/** Scripts that load extensions: those of tests and examples only where the folder has no other operators. */
async function chooseScripts(folder: string, files: readonly string[]): Promise<LoadScript[]> {
  const scripts = await findLoadScripts(folder, files)
  const own = scripts.filter(({ file }) => !otherFolders.test(path.dirname(file)))
  const hasOthers = scripts.length > own.length && findOperatorSources(folder, files).length > 0
  return own.length > 0 || hasOthers ? own : scripts
}

const namesOf = ({ hasSetup, cmake, scripts }: BuildFiles): string[] => [
  ...(hasSetup ? [setupFile] : []),
  ...(cmake === undefined ? [] : [cmake]),
  ...scripts.map(({ file }) => file),
]

/**
 * The files of a folder that a proposal may run, relative: setup.py, CMakeLists.txt, scripts that call load() or
 * load_inline(). Each is run only where those before it build nothing.
 */
export async function filesToRun(folder: string): Promise<string[]> {
  const { files } = await listTree(folder)
  return namesOf(await findBuildFiles(folder, files))
}

/** What is read of the build files of a folder that is not trusted: the text of setup.py. */
async function readWithoutRunning(
  { folder }: ImportRequest,
  files: readonly string[],
  build: BuildFiles,
  draft: ProposalDraft,
): Promise<ReadRepository | undefined> {
  const text = build.hasSetup ? await textOf(path.join(folder, setupFile)) : undefined
  if (text !== undefined) return readText(text, files, draft)
  const [first] = namesOf(build)
  if (first === undefined) return undefined
  draft.remark(
    `Opsmith did not run ${first}, so the flags, macros and libraries of this file are missing.`,
    {
      file: first,
    },
  )
  return undefined
}

/** What the folder's own code says when it is run; undefined where there is no build file that builds something. */
async function readRepository(
  installation: Installation,
  request: ImportRequest,
  { files, build }: { files: readonly string[]; build: BuildFiles },
  draft: ProposalDraft,
): Promise<Result<ReadRepository | undefined>> {
  if (!request.runsCode) return ok(await readWithoutRunning(request, files, build, draft))
  const run = build.hasSetup ? await runSetup(installation, request, draft) : ok(undefined)
  if (!run.ok || hasPairs(run.value)) return run
  if (build.cmake !== undefined) {
    const configured = await readCMake(installation, request, files, draft)
    if (!configured.ok || hasPairs(configured.value)) return configured
  }
  if (build.hasSetup) {
    const text = (await textOf(path.join(request.folder, setupFile))) ?? ''
    if (pairsOfText(text, files).length > 0) return ok(readText(text, files, draft))
  }
  const loaded = await readScripts(installation, request, build.scripts, draft)
  return !loaded.ok || hasPairs(loaded.value) ? loaded : run
}

const hasPairs = (read: ReadRepository | undefined): boolean => (read?.pairs.length ?? 0) > 0

function nothingFound(
  { folder, runsCode }: ImportRequest,
  draft: ProposalDraft,
  [buildFile]: readonly string[],
  files: readonly string[],
): Result<never> {
  const [first] = draft.remarks
  if (buildFile !== undefined && !runsCode) {
    return err(
      'project.restricted',
      `Opsmith must run ${buildFile} in ${folder} to find out what this file builds.`,
      {
        hint: 'Trust the folder in the window, or run the file from the command line: opsmith init --yes.',
      },
    )
  }
  if (!files.some(isOccupying)) {
    return err('project.empty', `${folder} is empty.`, {
      hint: `To make a new project in this folder, run: opsmith new ${folder}`,
    })
  }
  return err(
    'project.missing',
    `${folder} is not an operator project. Opsmith found no opsmith.json, no setup.py with an extension, no CMake library that links torch, no script that loads an extension, and no source that registers operators.`,
    {
      hint: 'Choose the folder that contains the sources, or make a new project: opsmith new FOLDER.',
      ...(first && {
        detail: draft.remarks
          .map(({ file, line, text }) => (file === '' ? text : `${file}:${line}: ${text}`))
          .join('\n'),
      }),
    },
  )
}

/**
 * Proposes an opsmith.json for a folder that has none. Nothing is written.
 * Errors: there is one already, or the extension asked for is not there (request.invalid); no folder, or nothing
 * to propose (project.missing, project.empty); code must be run first (project.restricted); no Python, or setup.py
 * cannot be run (toolchain.missing, project.invalid).
 */
export async function proposeProject(
  installation: Installation,
  request: ImportRequest,
): Promise<Result<ProjectProposal>> {
  const { folder } = request
  const there = await readManifestText(folder)
  const isFolder = await fs.stat(folder).then(
    (stat) => stat.isDirectory(),
    () => false,
  )
  if (!isFolder && !there.ok) return there
  if (there.ok || there.error.code !== 'project.missing') {
    return err('request.invalid', `${folder} already contains an ${manifestFileName}.`, {
      hint: 'Build the project: opsmith build. To make a new opsmith.json, first move the old file to another folder.',
    })
  }
  const draft = new ProposalDraft()
  const { files } = await listTree(folder)
  const build = await findBuildFiles(folder, files)
  const toRun = namesOf(build)
  const read = await readRepository(installation, request, { files, build }, draft)
  if (!read.ok) return read
  const repository = read.value
  const chosen = chooseExtensions(folder, repository?.pairs ?? [], request.extension)
  if (!chosen && request.extension !== '') {
    const names = (repository?.pairs ?? []).map(({ name }) => name)
    return err(
      'request.invalid',
      `${repository?.file ?? setupFile} defines no extension named ${request.extension}.`,
      {
        hint:
          names.length > 0
            ? `Choose one of ${names.join(', ')}.`
            : 'Opsmith found no extension in this folder. Run the command without --extension.',
      },
    )
  }
  const file = repository?.file ?? setupFile
  for (const pair of chosen?.chosen ?? []) carryExtension({ draft, folder, file }, pair)
  const hasExtensions = draft.has('sources') || draft.has('cudaSources')
  if (!hasExtensions && !carryFoundSources(draft, folder, files))
    return nothingFound(request, draft, toRun, files)
  nameProject(draft, folder, repository, hasExtensions ? (chosen?.chosen ?? []) : [])
  if (!hasPairs(repository)) remarkOnOthers(draft, files)
  remarkOnSubmodules(draft, folder)
  await remarkOnBindings(draft, folder)
  return checked({
    folder,
    lines: draft.lines(),
    remarks: draft.remarks,
    switches: draft.switches,
    files: draft.files,
    source: hasExtensions ? (repository?.source ?? 'sources') : 'sources',
    python: repository?.python ?? '',
    buildFile: repository?.file ?? toRun[0] ?? '',
    notRun: toRun.length > 0 && !request.runsCode,
    extensions: hasExtensions ? (chosen?.chosen.map(({ name }) => name) ?? []) : [],
    otherExtensions: chosen?.others.map(({ name }) => name) ?? [],
  })
}

/** What a build file calls what it builds. */
function nounOf(source: ProjectProposal['source'] | undefined): string {
  return source === 'cmake' ? 'target' : 'extension'
}

function nameProject(
  draft: ProposalDraft,
  folder: string,
  repository: ReadRepository | undefined,
  pairs: readonly ExtensionPair[],
): void {
  const { packageFile = '', packageLine = 0, packageName = '', version = '' } = repository ?? {}
  const place = packageLine > 0 ? `${packageFile}:${packageLine}` : packageFile
  const names = pairs.map(({ name }) => name)
  const origin =
    names.length > 0
      ? `${repository?.file ?? ''}, ${nounOf(repository?.source)}${names.length === 1 ? '' : 's'} ${names.join(', ')}`
      : packageName === ''
        ? 'the name of the folder'
        : `${place}, name`
  const name = projectName(pairs, packageName, folder)
  draft.set('name', name, origin)
  carryModules(draft, repository?.file ?? setupFile, name, pairs)
  if (/^\d+\.\d+\.\d+$/.test(version)) draft.set('version', version, `${place}, version`)
}

function remarkOnSubmodules(draft: ProposalDraft, folder: string): void {
  for (const submodule of emptySubmodules(folder)) {
    const command = fetchCommand(submodule)
    if (draft.remarks.some((one) => one.command === command)) continue
    draft.remark(`The git submodule ${submodule.path} is empty.`, { file: '.gitmodules', command })
  }
}

/** A proposal that opsmith.json would not take is a bug in Opsmith; the reason is the error. */
function checked(proposal: ProjectProposal): Result<ProjectProposal> {
  const parsed = parseManifest(proposedText(proposal), path.join(proposal.folder, manifestFileName))
  return parsed.ok ? ok(proposal) : parsed
}
