import fs from 'node:fs'
import path from 'node:path'

import { isWithin } from '../project/inside'
import { splitFlags } from '../toolchain/pkg-config'
import { groupFlags } from './carry-flags'
import type { FlagPlace } from './carry-flags'
import type { CMakeTarget } from './cmake-file-api'
import { cmakeFile } from './configure-cmake'
import type { ConfiguredProject } from './configure-cmake'
import type { RecordedExtension } from './recorded-setup'

/** Where CMake ran. */
export interface CMakePlace {
  folder: string
  /** Of the top CMakeLists.txt, relative to the folder. */
  sourceFolder: string
}

/** What CMake's targets say, as extensions; and what could not be read of them. */
export interface CMakeExtensions {
  extensions: RecordedExtension[]
  remarks: { text: string; file: string; line: number }[]
}

const torchLibrary = /\blib(torch|torch_cpu|torch_cuda|torch_python|c10|c10_cuda)\.(so|a)\b/
const torchInclude = /\/torch\/include(\/|$)/
/** What torch's CMake package links besides: its own parts, MKL's, CUDA's runtime. */
const torchPart =
  /\/torch\/lib\/|\/torch\/share\/|\bcaffe2::|\blib(kineto|mkl_\w+|cudart|cudart_static|nvToolsExt|cuda)\.(so|a)|\/stubs\/libcuda\.so/
/** Macros that torch's CMake package gives whoever links it. */
const torchDefines =
  /^(USE_(C10D_\w+|DISTRIBUTED|RPC|TENSORPIPE|EXTERNAL_MZCRC)|ONNX_\w+(=.*)?|AT_PARALLEL_OPENMP=1|MINIZ_\w+|HAVE_\w+=1|_FILE_OFFSET_BITS=64)$/
const systemFolder = /^(\/usr)?\/lib(64)?(\/[\w-]+-linux-gnu)?$/

function linksTorch({ link, compileGroups }: CMakeTarget): boolean {
  return (
    (link?.commandFragments ?? []).some(({ fragment }) => torchLibrary.test(fragment)) ||
    compileGroups.some(({ includes }) => includes.some((one) => torchInclude.test(one.path)))
  )
}

/** A library of torch's that the project builds: shared ones, else static ones whose sources are linked elsewhere. */
function chooseTargets(targets: readonly CMakeTarget[]): CMakeTarget[] {
  const linking = targets.filter(linksTorch)
  const shared = linking.filter(({ type }) => /^(SHARED|MODULE)_LIBRARY$/.test(type))
  const chosen =
    shared.length > 0
      ? shared
      : linking.filter(({ type }) => /^(STATIC|OBJECT)_LIBRARY$/.test(type))
  // What another library of them links is a part of that one.
  const parts = new Set(chosen.flatMap((one) => partsOf(one, targets).map(({ id }) => id)))
  return chosen.filter(({ id }) => !parts.has(id))
}

/** The libraries of the same project that a target is made of, each once. */
function partsOf(target: CMakeTarget, targets: readonly CMakeTarget[]): CMakeTarget[] {
  const known = new Map(targets.map((one) => [one.id, one]))
  const found = new Map<string, CMakeTarget>()
  const waiting = target.dependencies.map(({ id }) => id)
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const part = known.get(id)
    if (!part || part === target || found.has(id)) continue
    if (!/_LIBRARY$/.test(part.type)) continue
    found.set(id, part)
    waiting.push(...part.dependencies.map((one) => one.id))
  }
  return [...found.values()]
}

/** The line of the repository that a value of a target comes from: the innermost command of its own files. */
function placeOf(
  { backtraceGraph }: CMakeTarget,
  backtrace: number | undefined,
  { folder, sourceFolder }: CMakePlace,
): FlagPlace | undefined {
  const source = path.join(folder, sourceFolder)
  for (let index = backtrace; index !== undefined;) {
    const node = backtraceGraph.nodes[index]
    const file = path.resolve(source, backtraceGraph.files[node?.file ?? -1] ?? '')
    if (node?.line !== undefined && isWithin(file, folder)) {
      const command = backtraceGraph.commands[node.command ?? -1] ?? ''
      return { file: path.relative(folder, file), line: node.line, what: command }
    }
    index = node?.parent
  }
  return undefined
}

/** Collects what one target and its parts are compiled and linked with. */
class Collected {
  readonly remarks: CMakeExtensions['remarks'] = []
  readonly places = new Map<string, FlagPlace>()
  readonly sources = new Set<string>()
  readonly includes = new Set<string>()
  readonly defines = new Map<string, Set<string>>()
  readonly flags = new Map<string, string[][]>()
  readonly linkFlags: string[][] = []
  private readonly languages = new Set<string>()

  constructor(
    private readonly at: CMakePlace,
    private readonly build: string,
    private readonly builtHere: ReadonlySet<string>,
    private readonly own: FlagPlace,
  ) {}

  private note(
    value: string,
    target: CMakeTarget,
    backtrace: number | undefined,
    otherwise: string,
  ): void {
    if (this.places.has(value)) return
    const place = placeOf(target, backtrace, this.at)
    this.places.set(value, place ?? { file: this.own.file, line: 0, what: otherwise })
  }

  private remark(text: string, target: CMakeTarget, backtrace: number | undefined): void {
    const { file, line } = placeOf(target, backtrace, this.at) ?? this.own
    this.remarks.push({ text, file, line })
  }

  addCompiled(target: CMakeTarget): void {
    for (const one of target.sources) this.addSource(target, one)
    for (const group of target.compileGroups) this.addGroup(target, group)
  }

  private addSource(target: CMakeTarget, one: CMakeTarget['sources'][number]): void {
    if (one.compileGroupIndex === undefined) return
    const absolute = path.resolve(this.at.folder, this.at.sourceFolder, one.path)
    if (one.isGenerated === true || isWithin(absolute, this.build)) {
      const text = `${path.basename(one.path)} is left out, because the build of this repository generates this file.`
      this.remark(text, target, one.backtrace)
      return
    }
    const source = path.relative(this.at.folder, absolute)
    this.sources.add(source)
    this.note(source, target, one.backtrace, `sources of ${target.name}`)
  }

  private addGroup(target: CMakeTarget, group: CMakeTarget['compileGroups'][number]): void {
    const { language } = group
    this.languages.add(language)
    for (const { path: include, backtrace } of group.includes) {
      if (isWithin(include, this.build)) {
        this.remarkOnGenerated(target, include, backtrace)
        continue
      }
      this.includes.add(include)
      this.note(include, target, backtrace, `include path of ${target.name}`)
    }
    const exportName = `${target.name.replace(/\W/g, '_')}_EXPORTS`
    for (const { define, backtrace } of group.defines) {
      if (define === exportName || torchDefines.test(define)) continue
      if (this.isOfBuild(`-D${define}`, target, backtrace)) continue
      const languages = this.defines.get(define) ?? new Set()
      this.defines.set(define, languages.add(language))
      this.note(define, target, backtrace, `macro of ${target.name}`)
    }
    for (const { fragment, backtrace } of group.compileCommandFragments) {
      for (const flag of groupFlags(splitFlags(fragment)))
        this.addFlag(language, flag, target, backtrace)
    }
  }

  /** A folder in which configuring makes files has some of them only where something was made. */
  private remarkOnGenerated(
    target: CMakeTarget,
    include: string,
    backtrace: number | undefined,
  ): void {
    const made = fs.existsSync(include)
      ? fs.readdirSync(include).filter((name) => /\.(h|hpp|hh|cuh|inc)$/.test(name))
      : []
    if (made.length === 0) return
    const text = `Headers that CMake generates in the build folder are left out: ${made.join(', ')}. Copy these headers into the sources, and add the folder of the headers to "includePaths".`
    this.remark(text, target, backtrace)
  }

  /** A flag that names the build folder has no meaning without it. */
  private isOfBuild(text: string, target: CMakeTarget, backtrace: number | undefined): boolean {
    if (!text.includes(this.build)) return false
    const shown = text.replaceAll(this.build, '<build folder>')
    this.remark(
      `${shown} is left out, because CMake's build folder exists only during the import.`,
      target,
      backtrace,
    )
    return true
  }

  private addFlag(
    language: string,
    group: string[],
    target: CMakeTarget,
    backtrace: number | undefined,
  ): void {
    const known = this.flags.get(language) ?? []
    const text = group.join(' ')
    if (known.some((one) => one.join(' ') === text) || this.isOfBuild(text, target, backtrace))
      return
    this.flags.set(language, [...known, group])
    this.note(text, target, backtrace, `CMAKE_${language}_FLAGS or the build type`)
  }

  addLinked(target: CMakeTarget): void {
    for (const { fragment, role, backtrace } of target.link?.commandFragments ?? []) {
      if (fragment.trim() === '' || torchLibrary.test(fragment) || torchPart.test(fragment))
        continue
      // Without a command: the rpath of the libraries that follow, and what the compilers link anyway.
      if (backtrace === undefined && role !== 'flags') continue
      for (const group of groupFlags(this.linkGroup(splitFlags(fragment), role))) {
        this.linkFlags.push(group)
        this.note(group.join(' '), target, backtrace, 'linker flags')
      }
    }
  }

  /** One part of the linker's command line as flags that hold on this machine without the build folder. */
  private linkGroup(words: string[], role: string): string[] {
    const [first = ''] = words
    if (role === 'libraryPath') {
      const folder = first.replace(/^-L/, '')
      return isWithin(folder, this.build) || !fs.existsSync(folder) ? [] : words
    }
    if (words.length > 1 || first.startsWith('-')) return words
    if (!path.isAbsolute(first) || isWithin(first, this.build))
      return this.builtHere.has(path.basename(first)) ? [] : words
    const [, name, ending] = /^lib([\w.+-]+?)\.(so|a)(\.[\d.]+)?$/.exec(path.basename(first)) ?? []
    const folder = path.dirname(first)
    if (name === undefined) return words
    const isFound = systemFolder.test(folder) || folder.startsWith('/usr/local/cuda')
    if (isFound || name === 'gomp') return [`-l${name}`]
    return ending === 'a' ? words : [`-L${folder}`, `-Wl,-rpath,${folder}`, `-l${name}`]
  }

  /** Flags of a compiler: those of its language, and macros that only its sources have. */
  flagsOf(language: string): string[] {
    const own = [...this.defines].flatMap(([define, languages]) =>
      languages.has(language) && !this.isEverywhere(languages) ? [`-D${define}`] : [],
    )
    for (const flag of own) {
      const place = this.places.get(flag.slice(2))
      if (place) this.places.set(flag, place)
    }
    return [...own, ...(this.flags.get(language) ?? []).flat()]
  }

  macros(): [string, string | null][] {
    return [...this.defines].flatMap(([define, languages]) => {
      if (!this.isEverywhere(languages)) return []
      const [, name = define, value] = /^([^=]+)=([^]*)$/.exec(define) ?? []
      return [[name, value ?? null] satisfies [string, string | null]]
    })
  }

  private isEverywhere(languages: ReadonlySet<string>): boolean {
    return ['CXX', 'CUDA'].every((one) => languages.has(one) || !this.languages.has(one))
  }
}

/** Reads the libraries that link torch out of a configured project, each with the lines of its values. */
export function cmakeExtensions(
  { model, build }: Pick<ConfiguredProject, 'model' | 'build'>,
  at: CMakePlace,
): CMakeExtensions {
  const builtHere = new Set(model.targets.map(({ nameOnDisk }) => nameOnDisk))
  const top = path.join(at.sourceFolder, cmakeFile)
  const remarks: CMakeExtensions['remarks'] = []
  const extensions = chooseTargets(model.targets).map((target): RecordedExtension => {
    const own = placeOf(target, target.backtrace, at) ?? { file: top, line: 0, what: target.name }
    const parts = partsOf(target, model.targets)
    const collected = new Collected(at, build, builtHere, own)
    for (const one of [target, ...parts]) collected.addCompiled(one)
    for (const one of [target, ...parts]) collected.addLinked(one)
    const cxx = collected.flagsOf('CXX')
    const nvcc = collected.flagsOf('CUDA')
    remarks.push(...collected.remarks)
    return {
      name: target.name,
      kind: target.type,
      file: own.file,
      line: own.line,
      sources: [...collected.sources],
      includeDirs: [...collected.includes],
      macros: collected.macros(),
      undefined: [],
      flags: { cxx, nvcc },
      libraries: [],
      libraryDirs: [],
      runtimeLibraryDirs: [],
      linkFlags: collected.linkFlags.flat(),
      extraObjects: [],
      limitedApi: false,
      language: '',
      deviceLink: false,
      places: collected.places,
    }
  })
  // The largest is what a project is most likely about.
  const sorted = extensions.toSorted((a, b) => b.sources.length - a.sources.length)
  return { extensions: sorted, remarks }
}
