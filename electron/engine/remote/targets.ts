import path from 'node:path'

import { answerFollows } from '../../contract/serve'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Settings, Target } from '../../contract/settings'
import { findOnPath } from '../toolchain/find-on-path'
import { shellWord } from '../toolchain/shell-word'

/** A target as it is run: the words of its command are known. */
export interface NamedTarget {
  name: string
  command: string[]
  /** The command takes another command, also if it ends in a word such as "bash". */
  takesCommand?: boolean
  opsmith?: string
  folder?: string
}

/** The words of the command that runs another command on a target. */
export function targetCommand(target: Target): string[] {
  if ('command' in target) return target.command
  if ('ssh' in target) return ['ssh', ...(target.options ?? []), '--', target.ssh]
  if ('srun' in target) {
    const { srun, login } = target
    return [...(login === undefined ? [] : ['ssh', '--', login]), 'srun', ...srun]
  }
  const withValue = (flag: string, value: string | undefined): string[] =>
    value === undefined ? [] : [flag, value]
  const { options = [] } = target
  if ('kubectl' in target) {
    const { kubectl, container, namespace, context } = target
    const place = [...withValue('--context', context), ...withValue('--namespace', namespace)]
    const pod = [...withValue('--container', container), ...options, kubectl]
    return ['kubectl', ...place, 'exec', '--stdin', ...pod, '--']
  }
  const [program, container] =
    'docker' in target ? (['docker', target.docker] as const) : (['podman', target.podman] as const)
  return [
    program,
    'exec',
    '--interactive',
    ...withValue('--user', target.user),
    ...options,
    container,
  ]
}

function namedTarget(name: string, target: Target): NamedTarget {
  const { opsmith, folder } = target
  return {
    name,
    command: targetCommand(target),
    ...('command' in target ? {} : { takesCommand: true }),
    ...(opsmith === undefined ? {} : { opsmith }),
    ...(folder === undefined ? {} : { folder }),
  }
}

/** What tells the Opsmith on a target that it runs for another, of this version. */
export const callerVersionVariable = 'OPSMITH_CALLER_VERSION'

const shells = new Set(['sh', 'ash', 'bash', 'dash', 'ksh', 'zsh'])

/** The target of this name in the settings; `ssh:HOST` needs no settings. */
export function findTarget(
  name: string,
  { targets }: Pick<Settings, 'targets'>,
): Result<NamedTarget> {
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined
  if (target) return startable(namedTarget(name, target))
  const host = /^ssh:(.+)$/.exec(name)?.[1]
  if (host !== undefined) return startable({ name, command: ['ssh', '--', host] })
  const known = Object.keys(targets)
  return err('request.invalid', `There is no target named "${name}".`, {
    hint:
      known.length > 0
        ? `The settings have these targets: ${known.join(', ')}. For an ssh host, write ssh:HOST.`
        : 'For an ssh host, write ssh:HOST. For anything else, add a target to the settings file.',
  })
}

/** The words of a command line, with quotes as in a shell, and nothing else of a shell. */
function wordsOfLine(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  return words.map((word) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_all, double?: string, single?: string) => double ?? single ?? '',
    ),
  )
}

/** What somebody types: the name of a target, a host of ssh (`gpu`, `me@gpu`), or a command line. */
export function typedTarget(
  typed: string,
  settings: Pick<Settings, 'targets'>,
): Result<NamedTarget> {
  const name = typed.trim()
  if (Object.hasOwn(settings.targets, name) || name.startsWith('ssh:'))
    return findTarget(name, settings)
  return /\s/.test(name)
    ? startable({ name, command: wordsOfLine(name) })
    : findTarget(`ssh:${name}`, settings)
}

function startable(target: NamedTarget): Result<NamedTarget> {
  const [program = ''] = target.command
  return findOnPath(program) === undefined
    ? err(
        'target.unavailable',
        `${program}, the command of the target ${target.name}, is not on PATH.`,
        {
          hint: `Install ${program}, or correct the command of this target.`,
        },
      )
    : ok(target)
}

/** Where engines that were copied are, as the shell there writes it. */
export const enginesFolder = `"\${XDG_CACHE_HOME:-$HOME/.cache}/opsmith/engines"`

export interface RemoteWords {
  /** Of its command line. */
  words: readonly string[]
  /** The verb answers to an Opsmith of this version; "" if both sides shake hands. */
  callerVersion?: string
  /** The copy of this engine, which is used if it is there; see engineName(). "" for none. */
  copy?: string
}

/** What the shell there runs: it goes to the folder, and becomes Opsmith. */
function scriptOf(
  target: Omit<NamedTarget, 'name'>,
  { words, callerVersion = '', copy = '' }: RemoteWords,
): string {
  const { folder = '', opsmith = 'opsmith' } = target
  const isAnswer = callerVersion !== ''
  const mark = `printf '%s\\n' ${shellWord(answerFollows.trimEnd())}`
  const own = shellWord(opsmith)
  const copied = `${enginesFolder}/${shellWord(copy)}/bin/opsmith`
  return [
    ...(folder === '' ? [] : [`cd ${shellWord(folder)} || exit 2`]),
    ...(copy === '' ? [] : [`e=${copied}; [ -x "$e" ] || e=${own}`]),
    ...(isAnswer ? [`${callerVersionVariable}=${shellWord(callerVersion)}`] : []),
    ...(isAnswer ? [`export ${callerVersionVariable}`, mark] : []),
    `exec ${[copy === '' ? own : '"$e"', ...words.map(shellWord)].join(' ')}`,
  ].join('; ')
}

/** What has to follow a command so that it takes a script: nothing more than `-c` if it ends in a shell. */
function wordsBefore(command: readonly string[]): string[] {
  const shell = command.findLastIndex((word) => !word.startsWith('-'))
  if (!shells.has(path.basename(command[shell] ?? ''))) return ['sh', '-c']
  return command.slice(shell).some((word) => /^-\w*c$/.test(word)) ? [] : ['-c']
}

type ScriptTarget = Pick<NamedTarget, 'command' | 'takesCommand'>

/** The command of a target that takes a script as its last word; ssh joins its words, so it has to be quoted then. */
export function scriptCommand({ command, takesCommand = false }: ScriptTarget): {
  command: string[]
  isJoined: boolean
} {
  return {
    command: [...command, ...(takesCommand ? ['sh', '-c'] : wordsBefore(command))],
    isJoined: path.basename(command[0] ?? '') === 'ssh',
  }
}

/** The command that runs a script of a shell on a target. */
export function scriptOn(target: ScriptTarget, script: string): [string, ...string[]] {
  const { command, isJoined } = scriptCommand(target)
  const [program = '', ...more] = command
  // ssh joins its words with spaces, and the shell there splits the line again.
  return [program, ...more, isJoined ? shellWord(script) : script]
}

/** The command that runs Opsmith on a target. */
export function commandOn(
  target: Omit<NamedTarget, 'name'>,
  remote: RemoteWords,
): [string, ...string[]] {
  return scriptOn(target, scriptOf(target, remote))
}

/** How the command of a target ended that should have become Opsmith. */
export interface TargetEnd {
  exitCode: number | null
  /** Opsmith there had begun to answer. */
  hasAnswered: boolean
  /** The end of what was printed, where nobody has seen it yet. */
  printed?: string
}

/** Why there is no answer from a target; undefined where Opsmith itself ended with this code. */
export function explainTargetEnd(
  { name, command, opsmith = 'opsmith' }: NamedTarget,
  { exitCode, hasAnswered, printed }: TargetEnd,
): ReturnType<typeof err> | undefined {
  const [program = ''] = command
  if (exitCode === 255)
    return err(
      'target.unavailable',
      hasAnswered
        ? `The connection to the target ${name} was lost.`
        : `The target ${name} cannot be reached: ${path.basename(program)} ended with exit code 255.`,
      {
        hint: `Read what ${path.basename(program)} printed. Then try \`${command.map(shellWord).join(' ')}\` in a terminal.`,
        detail: printed,
      },
    )
  if (exitCode === 126 || exitCode === 127)
    return err(
      'target.noOpsmith',
      `The target ${name} has no program ${opsmith} that it can run.`,
      {
        hint: 'Copy this Opsmith there: connect in the window, or add --copy to the command. If Opsmith is already there, set `opsmith` of this target in the settings file to the path of that Opsmith.',
      },
    )
  return undefined
}
