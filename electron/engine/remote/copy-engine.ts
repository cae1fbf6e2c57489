import { machineOf } from '../../contract/project-place'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { ownVersion } from '../installation'
import type { Installation } from '../installation'
import { engineArchive, engineName, nodeArchive, nodeToSend } from './engine-archive'
import type { Archive } from './engine-archive'
import { oldestNode } from './engine-files'
import { probe } from './probe'
import type { Probe } from './probe'
import { runScript } from './remote-shell'
import type { ScriptOptions } from './remote-shell'
import { callerVersionVariable, enginesFolder } from './targets'
import { shellWord } from '../toolchain/shell-word'
import type { NamedTarget } from './targets'

/** A damaged upload is sent again. */
const mostAttempts = 3
/** Exit codes of the scripts below. */
const exits = { damaged: 65, notWritten: 74 } as const
/** Parts of a hundred of an archive between two lines of progress. */
const progressStep = 10

/** What would be copied. */
export interface WantedCopy {
  machine: string
  version: string
  size: string
  /** There. */
  folder: string
  /** In sentences. */
  detail: string
}

export interface CopyOptions {
  /** Why a copy is needed: the answer if the target runs no shell that could be asked. */
  reason?: Result<never>
  installation: Installation
  signal: AbortSignal
  /** What is being done, and what is printed there. */
  onLog: (text: string) => void
  /** Asks the user. */
  mayCopy: (wanted: WantedCopy) => Promise<boolean>
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** As uname calls the processor that machine code of this one is for. */
const ownMachine = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string] ?? process.arch

/** Removes what killed uploads have left: their names end in a process id. */
const withoutLeftovers = `for f in "$d"/.part-*; do i=\${f##*.}; [ -e "$f" ] && ! kill -0 "$i" 2>/dev/null && rm -rf "$f"; done`

/** Reads an archive from stdin, and unpacks it if it has arrived whole. */
function unpackScript({ name, bytes, sha256 }: Archive): string {
  const fail = `exit ${exits.notWritten}`
  return [
    'umask 077; LC_ALL=C; export LC_ALL',
    `d=${enginesFolder}; n="$d"/${shellWord(name)}; t="$d/.part-"${shellWord(name)}.$$`,
    `mkdir -p "$d" || ${fail}; ${withoutLeftovers}`,
    `trap 'rm -rf "$t" "$t.files.$$"' EXIT; trap 'exit 130' HUP INT TERM`,
    `head -c ${bytes} > "$t" || ${fail}`,
    `[ "$(sha256sum < "$t" | cut -c1-64)" = ${sha256} ] || exit ${exits.damaged}`,
    `mkdir "$t.files.$$" && tar -xzf "$t" -C "$t.files.$$" || ${fail}`,
    `rm -rf "$n" && mv "$t.files.$$" "$n" || ${fail}`,
  ].join('\n')
}

/** Makes the copy's command, and removes engines that nothing runs; this is the last step, so a half copy is none. */
function finishScript(name: string, node: string): string {
  const command = [
    '#!/bin/sh',
    '# Written by the Opsmith that copied itself here.',
    `[ -x ${node} ] || exit 127`,
    'here=$(dirname "$(readlink -f "$0")")/..',
    `exec ${node} "$here/dist/cli.cjs" "$@"`,
    '',
  ].join('\n')
  return [
    `umask 077; d=${enginesFolder}; n="$d"/${shellWord(name)}`,
    `mkdir -p "$n/bin" && printf %s ${shellWord(command)} > "$n/bin/.opsmith" || exit ${exits.notWritten}`,
    'chmod 755 "$n/bin/.opsmith" && mv "$n/bin/.opsmith" "$n/bin/opsmith"',
    '"$n/bin/opsmith" --version >/dev/null || exit 1',
    // A process of an engine has the engine's path in its command line; so would grep, but for the brackets.
    `for e in "$d"/*; do b=\${e##*/}; case "$b" in ${shellWord(name)}) continue;; node-*) grep -qs "/$b/node" "$n/bin/opsmith" && continue;; esac; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -q "[e]ngines/$b/" || rm -rf "$e"; done`,
    withoutLeftovers,
    'exit 0',
  ].join('\n')
}

/** What is missing there so that the engine cannot be copied: what, why, and how to get it. */
function missingThere(found: Probe, canSendNode: boolean): string[] {
  const { missingPrograms, installer, node, oldNode, system } = found
  const how = (name: string): string =>
    installer === ''
      ? `Install it with the package manager of that system.`
      : `Run \`${installer} ${name}\`.`
  const missing = missingPrograms.map((name) => {
    const wanted = name === 'tar' || name === 'gzip' ? name : 'coreutils'
    return `${name} is not installed. Opsmith needs it to check and unpack the copy. ${how(wanted)}`
  })
  if (node === undefined && !canSendNode) {
    const has = oldNode === '' ? 'is not installed' : `is too old (${oldNode})`
    missing.unshift(
      `Node.js ${has}. Opsmith needs Node.js ${oldestNode} or newer there, but has no Node.js for ${system} ${found.machine} that it can copy. Install Node.js from https://nodejs.org on that machine, and put \`node\` on its PATH.`,
    )
  }
  return missing
}

/** Copies this engine to a target and sets it up there, unless it is there already. */
class EngineCopy {
  constructor(
    private readonly target: NamedTarget,
    private readonly options: CopyOptions,
  ) {}

  private get machine(): string {
    return machineOf(this.target.name)
  }

  private get scriptOptions(): ScriptOptions {
    const { signal, onLog } = this.options
    return { signal, onLog }
  }

  async run(): Promise<Result<null>> {
    const { installation, onLog } = this.options
    const name = engineName(installation.root)
    onLog(`Checking what is installed on ${this.machine} …\n`)
    const found = await probe(this.target, name, this.scriptOptions)
    if (!found.ok) return found.error.code === 'cancelled' ? found : (this.options.reason ?? found)
    const archives = await this.archives(found.value)
    if (!archives.ok) return archives
    const { engine, node } = archives.value
    const agreed = await this.ask(found.value, engine, node)
    if (!agreed.ok) return agreed
    for (const archive of node === undefined ? [engine] : [node, engine]) {
      const sent = await this.send(archive, archive === node ? 'Node.js' : 'Opsmith')
      if (!sent.ok) return sent
    }
    const program =
      node === undefined
        ? shellWord(found.value.node?.file ?? '')
        : `${enginesFolder}/${node.name}/node`
    const finished = await runScript(this.target, finishScript(name, program), this.scriptOptions)
    if (!finished.ok) return finished
    if (finished.value.exitCode !== 0) return this.failed(finished.value)
    return await this.setUp(name)
  }

  /** What has to be sent; an error lists what is missing there. */
  private async archives(
    found: Probe,
  ): Promise<Result<{ engine: Archive; node: Archive | undefined }>> {
    const { installation } = this.options
    if (found.system !== 'Linux')
      return err(
        'target.noOpsmith',
        `${this.machine} runs ${found.system || 'an unknown system'}, but Opsmith can be copied only to machines with Linux.`,
      )
    const isSame = process.platform === 'linux' && found.machine === ownMachine
    const own = found.node === undefined && isSame ? await nodeToSend(installation) : undefined
    const missing = missingThere(found, own !== undefined)
    if (missing.length > 0)
      return err('target.noOpsmith', `${this.machine} lacks programs that Opsmith needs.`, {
        hint: missing.join('\n'),
      })
    const engine = await engineArchive(installation, isSame)
    if (!engine.ok) return engine
    if (own === undefined) return ok({ engine: engine.value, node: undefined })
    const node = await nodeArchive(installation, own)
    return node.ok ? ok({ engine: engine.value, node: node.value }) : node
  }

  private async ask(
    { opsmith, folder, node: theirs, oldNode, hasCopy }: Probe,
    engine: Archive,
    node: Archive | undefined,
  ): Promise<Result<null>> {
    const version = ownVersion(this.options.installation.root)
    const size = megabytes(engine.bytes + (node?.bytes ?? 0))
    const detail = [
      ...(opsmith === '' ? [] : [`${this.machine} has Opsmith ${opsmith}, which stays as it is.`]),
      ...(hasCopy
        ? [`${this.machine} already has a copy of this Opsmith, but the copy does not start.`]
        : []),
      node === undefined
        ? `The copy will use Node.js ${theirs?.version ?? ''} of that machine.`
        : `Node.js is copied as well, because that machine has ${oldNode === '' ? 'none' : `${oldNode}, which is too old`}.`,
      'The copy needs no root rights and no network there. After the copy, set-up compiles the native addon for the libtorch of that machine.',
    ].join(' ')
    return (await this.options.mayCopy({ machine: this.machine, version, size, folder, detail }))
      ? ok(null)
      : err('cancelled', `Opsmith was not copied to ${this.machine}.`)
  }

  private async send(archive: Archive, what: string): Promise<Result<null>> {
    const { onLog } = this.options
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      onLog(`Copying ${what} (${megabytes(archive.bytes)}) …\n`)
      let shown = 0
      const ran = await runScript(this.target, unpackScript(archive), {
        ...this.scriptOptions,
        file: archive.file,
        onSent: (bytes) => {
          const part = Math.floor((100 * bytes) / archive.bytes)
          if (part < shown + progressStep || part >= 100) return
          shown = part
          onLog(`${megabytes(bytes)} of ${megabytes(archive.bytes)}\n`)
        },
      })
      if (!ran.ok) return ran
      if (ran.value.exitCode === 0) return ok(null)
      if (ran.value.exitCode !== exits.damaged) return this.failed(ran.value)
      onLog('The copy arrived damaged or incomplete.\n')
    }
    return err(
      'target.unavailable',
      `The copy of ${what} arrived damaged on ${this.machine} ${mostAttempts} times.`,
      {
        hint: 'Check the connection. Check that the command of this target passes data through unchanged.',
      },
    )
  }

  private failed({ stderr, stdout }: { stderr: string; stdout: string }): Result<never> {
    const detail = `${stdout}${stderr}`.trim()
    const isFull = /No space left on device|Disk quota exceeded/.test(detail)
    return err(
      'target.unavailable',
      isFull
        ? `The disk of ${this.machine} is full: Opsmith was not copied.`
        : `Opsmith could not be copied to ${this.machine}.`,
      {
        hint: isFull
          ? 'Make room in the cache folder there (usually ~/.cache/opsmith), or set XDG_CACHE_HOME there to a folder on another disk.'
          : `Read what ${this.machine} printed.`,
        detail,
      },
    )
  }

  /** The set-up there; without libtorch or a compiler the copy stays, and the error says how to get them. */
  private async setUp(name: string): Promise<Result<null>> {
    const { installation, onLog } = this.options
    const version = shellWord(ownVersion(installation.root))
    onLog(`Setting up Opsmith on ${this.machine} …\n`)
    const ran = await runScript(
      this.target,
      `${callerVersionVariable}=${version} exec ${enginesFolder}/${shellWord(name)}/bin/opsmith setup --json`,
      { ...this.scriptOptions, keepsInput: true },
    )
    if (!ran.ok) return ran
    if (ran.value.exitCode === 0) return ok(null)
    return setUpError(this.machine, ran.value.stdout)
  }
}

/** What `opsmith setup --json` answers where something is missing. */
function setUpError(machine: string, answer: string): Result<never> {
  let message = ''
  let hint = ''
  try {
    const { error } = JSON.parse(answer) as { error?: { message?: unknown; hint?: unknown } }
    if (typeof error?.message === 'string') ({ message } = error as { message: string })
    if (typeof error?.hint === 'string') ({ hint } = error as { hint: string })
  } catch {
    message = `read what ${machine} printed.`
  }
  return err(
    'toolchain.missing',
    `Opsmith was copied to ${machine}, but its set-up there is not complete: ${message}`,
    {
      hint,
    },
  )
}

/** Errors: `cancelled` (the user), `target.noOpsmith` (what is missing), `toolchain.missing` (the copy is there). */
export async function copyEngine(target: NamedTarget, options: CopyOptions): Promise<Result<null>> {
  return await new EngineCopy(target, options).run()
}
