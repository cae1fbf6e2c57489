import fs from 'node:fs'
import path from 'node:path'

import { escapePath } from 'tinyglobby'

import { isWithin } from '../project/inside'
import { isCode, isCuda, isHeader } from '../project/sources'
import { fetchCommand, submoduleOf } from '../project/submodules'
import { carryFlag, groupFlags, originOf } from './carry-flags'
import type { FlagPlace } from './carry-flags'
import { baseOf } from './paired-extensions'
import type { ExtensionPair } from './paired-extensions'
import type { ProposalDraft } from './proposal-draft'
import type { RecordedExtension } from './recorded-setup'

/** What one extension is carried over with. */
export interface Carrying {
  draft: ProposalDraft
  folder: string
  /** The build file, relative. */
  file: string
}

/** libtorch's and Python's own, which every library here is linked with or does without. */
const ownLibraries = /^(c10|torch|torch_cpu|torch_python|c10_cuda|torch_cuda|cudart)$/
const ownIncludes =
  /\/torch\/include(\/|$)|\/include\/python3|\/site-packages\/pybind11\/include$|^\/usr\/local\/cuda/

/** Where a value comes from: its own line where that is known, else the extension's. */
function placeAt(
  { file }: Carrying,
  one: RecordedExtension,
  what: string,
  value: string,
): FlagPlace {
  return one.places?.get(value) ?? { file: one.file ?? file, line: one.line, what }
}

/** A path of a build file, relative to the folder where it is inside; else absolute. */
function relativeTo(folder: string, given: string): string {
  const absolute = path.resolve(folder, given)
  const real = isWithin(absolute, folder)
    ? absolute
    : fs.existsSync(absolute)
      ? fs.realpathSync(absolute)
      : absolute
  const base = isWithin(real, folder) ? folder : fs.realpathSync(folder)
  return isWithin(real, base) ? path.relative(base, real).split(path.sep).join('/') : absolute
}

/** A remark on what is not there: with the command, where a submodule that git has not fetched would have it. */
function remarkMissing(
  { draft, folder }: Carrying,
  name: string,
  at: { file: string; line: number },
): boolean {
  const submodule = submoduleOf(folder, name)
  if (submodule) {
    draft.remark(`${name} is in the git submodule ${submodule.path}, which git has not fetched.`, {
      ...at,
      command: fetchCommand(submodule),
    })
  }
  return submodule !== undefined
}

function carrySource(
  carrying: Carrying,
  one: RecordedExtension,
  given: string,
  withCuda: boolean,
): void {
  const { draft, folder } = carrying
  const source = relativeTo(folder, given)
  const place = placeAt(carrying, one, withCuda ? 'sources with CUDA' : 'sources', given)
  const at = { file: place.file, line: place.line }
  if (!isCode(source) || isHeader(source)) {
    draft.remark(`${given} is left out, because it is a header, or not a C++ or CUDA source.`, at)
    return
  }
  if (path.isAbsolute(source)) {
    draft.remark(`${given} is left out, because the file is outside ${folder}.`, at)
    return
  }
  const text = one.files?.get(given)
  if (text !== undefined) draft.propose({ path: source, text, origin: originOf(place) })
  const isThere = text !== undefined || fs.existsSync(path.join(folder, source))
  if (!isThere && !remarkMissing(carrying, source, at)) {
    draft.remark(
      `${given} is left out: the file does not exist. The build of this repository probably generates the file.`,
      at,
    )
    return
  }
  const origin = originOf(place)
  draft.add(withCuda ? 'cudaSources' : 'sources', [escapePath(source)], origin)
}

function carryIncludes(carrying: Carrying, one: RecordedExtension): void {
  const { draft, folder } = carrying
  for (const given of one.includeDirs) {
    if (ownIncludes.test(given)) continue
    const place = placeAt(carrying, one, 'include_dirs', given)
    const at = { file: place.file, line: place.line }
    const relative = relativeTo(folder, given)
    // The project's own folder is always searched.
    if (relative === '') continue
    const isThere = fs.existsSync(path.resolve(folder, relative))
    if (!isThere && !remarkMissing(carrying, relative, at)) {
      draft.remark(`The include path ${given} is left out: the folder does not exist.`, at)
      continue
    }
    if (path.isAbsolute(relative))
      draft.remark(
        `The include path ${relative} is absolute: other machines may not have this folder.`,
        at,
      )
    draft.add('includePaths', [relative], originOf(place))
  }
}

const macroText = ([name, value]: readonly [string, string | null]): string =>
  value === null ? name : `${name}=${value}`

const flagsFor = (one: RecordedExtension | undefined, compiler: 'cxx' | 'nvcc'): string[][] =>
  groupFlags(one?.flags[compiler] ?? one?.flags['all'] ?? [])

const textOf = (group: readonly string[]): string => group.join(' ')

/** -ffast-math for all compilers is the setting; for one of two it stays a flag of that one. */
function isFastMath(cxx: string[][], nvcc: string[][], hasKernels: boolean): boolean {
  const has = (groups: string[][], pattern: RegExp): boolean =>
    groups.some((group) => pattern.test(textOf(group)))
  return has(cxx, /^(-ffast-math|-Ofast)$/) && (!hasKernels || has(nvcc, /^--?use_fast_math$/))
}

function carryFlags(carrying: Carrying, pair: ExtensionPair, hasKernels: boolean): void {
  const { draft } = carrying
  const base = baseOf(pair)
  const cxx = flagsFor(base, 'cxx')
  const nvcc = hasKernels ? flagsFor(pair.cuda ?? base, 'nvcc') : []
  const placeOf = (group: readonly string[], one = base): FlagPlace =>
    placeAt(carrying, one, 'extra_compile_args', textOf(group))
  const fast = isFastMath(cxx, nvcc, hasKernels)
  const isSetting = (group: readonly string[]): boolean =>
    fast && /^(-ffast-math|--?use_fast_math)$/.test(textOf(group))
  if (fast) draft.set('fastMath', true, originOf(placeOf(cxx.find(isSetting) ?? [])))
  for (const group of cxx) if (!isSetting(group)) carryFlag(draft, group, 'cxx', placeOf(group))
  const level = cxx.map(textOf).find((one) => /^-O[0-3]$/.test(one))
  for (const group of nvcc) {
    if (!isSetting(group) && textOf(group) !== level)
      carryFlag(draft, group, 'nvcc', placeOf(group, pair.cuda))
  }
  const known = new Set(cxx.map(textOf))
  const extra = pair.cpu
    ? flagsFor(pair.cuda, 'cxx').filter((group) => !known.has(textOf(group)))
    : []
  for (const group of extra) {
    const text = textOf(group)
    const macro = /^-D\s*(\w+(=.*)?)$/.exec(text)?.[1]
    const place = placeOf(group, pair.cuda)
    if (macro !== undefined) draft.add('cudaDefines', [macro], originOf(place))
    else {
      const { file, line } = place
      draft.remark(
        `The flag ${text} is left out: ${file} gives this flag to C++ sources only in a build with CUDA. opsmith.json has no key for such a flag.`,
        { file, line },
      )
    }
  }
}

function carryMacros(carrying: Carrying, pair: ExtensionPair, hasKernels: boolean): void {
  const { draft } = carrying
  const base = baseOf(pair)
  const always = base.macros.map(macroText)
  const addFlag = (flag: string, at: FlagPlace): void => {
    carryFlag(draft, [flag], 'cxx', at)
    if (hasKernels) carryFlag(draft, [flag], 'nvcc', at)
  }
  for (const macro of always) addFlag(`-D${macro}`, placeAt(carrying, base, 'define_macros', macro))
  for (const name of base.undefined)
    addFlag(`-U${name}`, placeAt(carrying, base, 'undef_macros', name))
  const { cpu, cuda } = pair
  if (!cpu || !cuda) return
  for (const macro of cuda.macros.map(macroText)) {
    const place = placeAt(carrying, cuda, 'define_macros with CUDA', macro)
    if (!always.includes(macro)) draft.add('cudaDefines', [macro], originOf(place))
  }
}

/** What one run gives the linker, each with the argument of setup.py that it is from. */
function linkFlagsOf(
  folder: string,
  one: RecordedExtension | undefined,
): { group: string[]; what: string }[] {
  if (!one) return []
  const inFolder = (given: string): string => {
    const relative = relativeTo(folder, given)
    return relative === '' ? '.' : relative
  }
  const libraries = one.libraries.filter((name) => !ownLibraries.test(name))
  const folders = one.libraryDirs.filter((name) => !/\/torch\/lib$|^\/usr\/local\/cuda/.test(name))
  return [
    ...folders.map((name) => ({ group: [`-L${inFolder(name)}`], what: 'library_dirs' })),
    ...one.runtimeLibraryDirs.map((name) => ({
      group: [`-Wl,-rpath,${path.resolve(folder, name)}`],
      what: 'runtime_library_dirs',
    })),
    ...libraries.map((name) => ({ group: [`-l${name}`], what: 'libraries' })),
    ...groupFlags(one.linkFlags).map((group) => ({ group, what: 'extra_link_args' })),
  ]
}

/** Linker flags that change nothing here, or that would hide lines of stack traces. */
const needlessLinkFlags = /^(-s|-fPIC|-shared|-O\d)$/

function carryLink(carrying: Carrying, pair: ExtensionPair): void {
  const { draft, folder } = carrying
  const base = baseOf(pair)
  const own = { file: base.file ?? carrying.file, line: base.line }
  const always = linkFlagsOf(folder, base)
  const known = new Set(always.map(({ group }) => textOf(group)))
  const extra = pair.cpu ? linkFlagsOf(folder, pair.cuda) : []
  const withCuda = extra.filter(({ group }) => !known.has(textOf(group)))
  const add = (key: 'ldflags' | 'cudaLdflags', { group, what }: (typeof always)[number]): void => {
    const text = textOf(group)
    const one = key === 'cudaLdflags' ? (pair.cuda ?? base) : base
    const place = placeAt(carrying, one, what, text)
    const at = { file: place.file, line: place.line }
    if (needlessLinkFlags.test(text)) {
      if (text === '-s')
        draft.remark(
          'The flag -s is left out, because stack traces need the symbols of the library.',
          at,
        )
    } else if (/openmp|^-lgomp$/.test(text)) {
      draft.remark(`${text} is left out, because Opsmith links the OpenMP library of libtorch.`, at)
    } else draft.add(key, group, originOf(place))
  }
  for (const one of always) add('ldflags', one)
  for (const one of withCuda) add('cudaLdflags', one)
  for (const object of base.extraObjects) {
    draft.remark(
      `${object} is left out, because Opsmith does not link object files (extra_objects).`,
      own,
    )
  }
  if (base.deviceLink || (pair.cuda?.deviceLink ?? false)) {
    draft.remark(
      'Device linking (dlink) is left out: add "-rdc=true" to "cudaCflags" if a GPU kernel calls a device function of another file.',
      own,
    )
  }
}

/** Adds all that a build file says of an extension to a draft; what differs between its two runs is for CUDA only. */
export function carryExtension(carrying: Carrying, pair: ExtensionPair): void {
  const { cpu, cuda } = pair
  const base = baseOf(pair)
  const without = cpu?.sources ?? []
  const both = cpu && cuda ? without.filter((one) => cuda.sources.includes(one)) : base.sources
  for (const source of both) carrySource(carrying, base, source, false)
  if (cpu && cuda) {
    for (const source of cuda.sources)
      if (!without.includes(source)) carrySource(carrying, cuda, source, true)
    for (const source of without) {
      if (cuda.sources.includes(source)) continue
      carrying.draft.remark(
        `${source} is left out, because the build compiles this file only without CUDA.`,
        {
          file: cpu.file ?? carrying.file,
          line: cpu.line,
        },
      )
    }
  }
  const hasKernels = [...base.sources, ...(cuda?.sources ?? [])].some(isCuda)
  for (const name of base.inline?.functions ?? []) {
    const place = placeAt(carrying, base, 'functions', name)
    carrying.draft.add('functions', [name], originOf(place))
  }
  carryIncludes(carrying, base)
  if (cuda && cpu) carryIncludes(carrying, cuda)
  carryMacros(carrying, pair, hasKernels)
  carryFlags(carrying, pair, hasKernels)
  carryLink(carrying, pair)
}
