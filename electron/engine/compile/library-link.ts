import fs from 'node:fs'
import path from 'node:path'

import type { CommandResult } from '../toolchain/run-command'
import { parseDepfile } from './depfile'
import type { CompileServer } from './hot/compile-server'
import { linkerFlags, quickLinker } from './hot/direct-link'
import { namedByFlags } from './link-inputs'
import type { BuildPlan } from './plan'
import { hashOf, ResultCache } from './result-cache'
import type { CachedResult } from './result-cache'

interface LinkedObject {
  object: string
  objectKey: string
  /** The library of shared code, if it needs that. */
  sharedCode: string | undefined
}

interface LinkOptions {
  plan: BuildPlan
  /** The project's, absolute. */
  folder: string
  /** Of the library: "libmy_op.so". */
  name: string
  objects: readonly LinkedObject[]
  onDamaged: () => void
  run: (command: string, args: readonly string[]) => Promise<CommandResult>
  /** The same by a compile server; undefined where that is gone. `output` is the file that is made. */
  runHot: (
    server: CompileServer,
    command: readonly string[],
    output: string,
  ) => Promise<CommandResult | undefined>
}

/** How a link that was made ended; without `library` it failed. */
interface Linked {
  command: string[]
  result: CommandResult
  library: CachedResult | undefined
}

interface LinkAttempt {
  /** Where the linker says what it read; undefined for one that cannot. */
  depfile: string | undefined
  /** Objects besides those of the sources. */
  added: readonly string[]
}

const isWorthRepeating = ({ exitCode, stopped }: CommandResult): boolean =>
  exitCode !== 0 && stopped !== 'cancelled' && stopped !== 'timeout'

/** Linkers without --dependency-file, by the identity of their compiler. */
const withoutDependencyFile = new Set<string>()

/**
 * The link of one build. A library is kept by its objects, its flags and every file that the linker read because of
 * the project's flags: an archive, a library, a version script.
 */
export class LibraryLink {
  private readonly cache: ResultCache
  /** The project's own flags as the linker itself takes them; undefined when only the compiler's driver can. */
  readonly direct: string[] | undefined
  /** Links what the compile server compiled, if the project has no flags for the linker. */
  private readonly quick = quickLinker()

  constructor(private readonly options: LinkOptions) {
    const { plan, folder, name, onDamaged } = options
    this.direct = linkerFlags(plan.link.trailing)
    this.cache = new ResultCache({
      folder: path.join(plan.tools.installation.cacheFolder, 'builds'),
      projectFolder: folder,
      contentFolders: [],
      nameOf: (key) => path.join(key, name),
      onDamaged,
    })
  }

  private keyOf(how: 'plain' | 'hot'): string {
    const { plan, name, objects } = this.options
    const { compiler, libtorch } = plan.tools.toolchain
    return hashOf(
      `${how}-link-3`,
      how === 'hot' ? (this.quick ?? '') : '',
      compiler.identity,
      libtorch.identity,
      name,
      ...plan.link.args,
      '--',
      ...plan.link.trailing,
      '--',
      ...(plan.deviceLink ? [...plan.deviceLink.args, '--'] : []),
      ...objects.flatMap(({ sharedCode }) => sharedCode ?? []),
      ...objects.map((object) => object.objectKey),
    )
  }

  find(how: 'plain' | 'hot'): CachedResult | undefined {
    return this.cache.find(this.keyOf(how))
  }

  /**
   * @param hot a compile server, where the link is to be quick: it calls its linker directly where the flags allow
   *   that
   */
  async make(hot: CompileServer | undefined): Promise<Linked> {
    const { trailing } = this.options.plan.link
    const { identity } = this.options.plan.tools.toolchain.compiler
    const output = this.cache.temporary()
    const depfile = `${output}.d`
    const deviceCode = `${output}.device.o`
    // Without flags of the project's, all that is read is objects, libtorch and the tools: they are in the key.
    const asksForFiles = trailing.length > 0
    const isAble = asksForFiles && !withoutDependencyFile.has(identity)
    try {
      const failed = await this.linkDeviceCode(deviceCode)
      if (failed) return failed
      const added = this.options.plan.deviceLink ? [deviceCode] : []
      let made = await this.attempt(hot, output, { depfile: isAble ? depfile : undefined, added })
      if (isAble && !made.good && made.result.stderr.includes('--dependency-file')) {
        withoutDependencyFile.add(identity)
        made = await this.attempt(hot, output, { depfile: undefined, added })
      }
      const { command, result, good } = made
      if (!good) return { command, result, library: undefined }
      const key = this.keyOf(hot ? 'hot' : 'plain')
      const inputs = asksForFiles ? this.inputs(depfile) : []
      return { command, result, library: this.cache.store(key, output, inputs, '') }
    } finally {
      fs.rmSync(output, { force: true })
      fs.rmSync(depfile, { force: true })
      fs.rmSync(deviceCode, { force: true })
    }
  }

  /** What came of it where it failed; undefined where it is done, or not needed. */
  private async linkDeviceCode(output: string): Promise<Linked | undefined> {
    const { plan, objects, run } = this.options
    if (!plan.deviceLink) return undefined
    const { command, args } = plan.deviceLink
    const all = [...args, ...objects.map(({ object }) => object), '-o', output]
    const result = await run(command, all)
    return result.exitCode === 0
      ? undefined
      : { command: [command, ...all], result, library: undefined }
  }

  private async attempt(
    hot: CompileServer | undefined,
    output: string,
    more: LinkAttempt,
  ): Promise<{ command: string[]; result: CommandResult; good: boolean }> {
    const [command, args] = this.commandLine(hot, output, more)
    const result = await this.run(hot, command, args, output)
    const usual = hot?.program.linker.command
    if (usual === undefined || command !== this.quick || !isWorthRepeating(result))
      return { command: [command, ...args], result, good: result.exitCode === 0 }
    // The usual linker may accept what gold refuses. Opsmith explains only the messages of the usual linker.
    const repeated = await this.run(hot, usual, args, output)
    const seconds = result.seconds + repeated.seconds
    const good = repeated.exitCode === 0
    return { command: [usual, ...args], result: { ...repeated, seconds }, good }
  }

  private async run(
    hot: CompileServer | undefined,
    command: string,
    args: readonly string[],
    output: string,
  ): Promise<CommandResult> {
    const byServer =
      hot && this.direct ? await this.options.runHot(hot, [command, ...args], output) : undefined
    return byServer ?? (await this.options.run(command, args))
  }

  private commandLine(
    hot: CompileServer | undefined,
    output: string,
    { depfile, added }: LinkAttempt,
  ): [string, string[]] {
    const { plan, name, objects } = this.options
    const files = [...objects.map((object) => object.object), ...added]
    const shared = objects.find((object) => object.sharedCode !== undefined)?.sharedCode
    const own = [
      '-soname',
      name,
      ...(depfile === undefined ? [] : [`--dependency-file=${depfile}`]),
    ]
    const sharedWords = (stub?: string): string[] =>
      shared === undefined ? [] : [stub ?? shared, '-rpath', path.dirname(shared)]
    const withShared = (stub?: string): string[] => [...own, ...sharedWords(stub)]
    if (hot && this.direct) {
      const { linker } = hot.program
      // A project's archive may define functions of the shared code. The linker then has to see the real library.
      return this.direct.length === 0
        ? [
            this.quick ?? linker.command,
            linker.args(files, output, withShared(linker.sharedCodeStub)),
          ]
        : [linker.command, linker.args(files, output, [...withShared(), ...this.direct])]
    }
    const { command, args, trailing } = plan.link
    const passed = (words: string[]): string[] => words.flatMap((word) => ['-Xlinker', word])
    // Before the project's archives: what the shared code defines is not taken from them.
    const before = [...args, ...files, ...passed(sharedWords())]
    return [command, [...before, ...trailing, ...passed(own), '-o', output]]
  }

  /** Files that the linker read, besides what is in the key, and those that would change what it reads. */
  private inputs(depfile: string): string[] {
    const { plan, folder, objects } = this.options
    const { libtorch } = plan.tools.toolchain
    const read = fs.existsSync(depfile) ? parseDepfile(fs.readFileSync(depfile, 'utf8')) : []
    const covered = new Set(objects.map(({ object }) => object))
    return [...new Set([...read, ...namedByFlags(plan.link.trailing, folder)])]
      .map((file) => path.resolve(folder, file))
      .filter((file) => !covered.has(file) && !file.startsWith(libtorch.folder + path.sep))
  }
}
