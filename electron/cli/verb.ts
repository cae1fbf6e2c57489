import path from 'node:path'

import { manifestFileName } from '../contract/manifest'
import { err, ok, WorkbenchFailure } from '../contract/outcome'
import type { Result, WorkbenchError } from '../contract/outcome'
import { diskError } from '../engine/project/file-errors'
import { findProjectFolder } from '../engine/project/find-project'
import type { Workbench } from '../engine/workbench'
import { flag, readOptions, switchOff } from './options'
import type { GivenValue, OptionTable, OptionValues } from './options'
import { endKernelChecks } from './kernel-report'
import { callerPath, printError } from './print'
import { withWorkbench } from './with-workbench'

/** What a verb is about: the word after its name. */
export interface VerbArgument {
  /** As usage shows it: "project". */
  name: string
  description: string
  /** It may be left out. */
  isOptional: boolean
}

/** Words after the argument, as many as there are. */
export type MoreArguments = Pick<VerbArgument, 'name' | 'description'>

export const projectArgument: VerbArgument = {
  name: 'project',
  description: 'folder with opsmith.json',
  isOptional: false,
}

interface VerbText {
  /** The word after `opsmith`. Its file in verbs/ has the same name. */
  name: string
  /** The place in --help and in the reference, smallest first; each verb has its own. */
  order: number
  /** What the verb does, in one line. */
  description: string
  /** Paragraphs after the options in --help. */
  notes?: readonly string[]
}

/** A command of the command line. Parsing, --help and the reference page all read it. */
export interface Verb extends Readonly<VerbText> {
  readonly argument: VerbArgument | undefined
  readonly moreArguments?: MoreArguments
  readonly options: OptionTable
  /** It reads stdin to its end, with these options. */
  readonly readsInput?: (given: Readonly<Record<string, GivenValue>>) => boolean
  /** @returns the exit code */
  readonly execute: (
    target: string,
    given: Readonly<Record<string, GivenValue>>,
    more?: readonly string[],
  ) => Promise<number>
}

interface VerbDeclaration<Options extends OptionTable> extends VerbText {
  /** Absent: the verb is about this machine. */
  argument?: VerbArgument
  moreArguments?: MoreArguments
  options: Options
  readsInput?: NonNullable<Verb['readsInput']>
  /** It starts op hosts: --no-sandbox is one of its options. */
  runsOperators?: true
  /** It calls operators: --check-kernels is one of its options. */
  launchesKernels?: true
  /** The argument is not a project yet. */
  makesProject?: true
  /**
   * @param target absolute path of the argument; "" where an optional one is left out
   * @param more of `moreArguments`, as the user wrote them
   * @returns the exit code
   */
  run: (
    workbench: Workbench,
    target: string,
    options: OptionValues<Options>,
    more: readonly string[],
  ) => Promise<number>
}

/** A wrong option has no answer in any form but the one that the user asked for. */
export const wantsJson = ({ json, format }: Readonly<Record<string, GivenValue>>): boolean =>
  json === true || format === 'json'

const sandboxSwitch = switchOff(
  'run operators outside of the sandbox: operators can then write anywhere and use the network',
)

const kernelSwitch = flag(
  'check each memory access of CUDA kernels on the virtual GPU; a finding is a failure',
)

/** What a disk or a file made the engine throw; undefined for a bug. */
function expectedError(error: unknown): WorkbenchError | undefined {
  return error instanceof WorkbenchFailure ? error.error : diskError(error)
}

/**
 * The folder of the project that is meant: an opsmith.json may name another as its "root". What is not a project stays.
 */
async function projectPlace(named: string): Promise<Result<string>> {
  if (named === '') return ok(named)
  const folder = path.basename(named) === manifestFileName ? path.dirname(named) : named
  const found = await findProjectFolder(folder)
  return found.ok && found.value === folder ? ok(named) : found
}

/** A verb that works on a project or a file, with the engine. */
export function defineVerb<Options extends OptionTable>(
  declaration: VerbDeclaration<Options>,
): Verb {
  const { run, runsOperators, launchesKernels, makesProject, ...rest } = declaration
  const { argument, options } = rest
  return {
    ...rest,
    argument,
    options: {
      ...options,
      ...(launchesKernels ? { checkKernels: kernelSwitch } : {}),
      ...(runsOperators ? { sandbox: sandboxSwitch } : {}),
    },
    execute: async (target, given, more = []) => {
      const values = readOptions(options, given)
      if (!values.ok) return printError(values.error, wantsJson(given))
      const mayBeAbsent = argument?.isOptional ?? true
      const named = target === '' && mayBeAbsent ? '' : callerPath(target)
      const found = makesProject ? ok(named) : await projectPlace(named)
      if (!found.ok) return printError(found.error, wantsJson(given))
      const place = found.value
      try {
        return await withWorkbench(
          async (workbench) => {
            if (given['checkKernels'] === true) workbench.projects.kernelVariant = 'checked'
            return await endKernelChecks(workbench, await run(workbench, place, values.value, more))
          },
          { allowsSandbox: given['sandbox'] !== false },
        )
      } catch (error) {
        const known = expectedError(error)
        if (known) return printError(known, wantsJson(given))
        throw error
      }
    },
  }
}

/** A verb that needs neither a project nor the engine. */
export function definePlainVerb(declaration: VerbText & { run: () => number }): Verb {
  const { run, ...text } = declaration
  return { ...text, argument: undefined, options: {}, execute: () => Promise.resolve(run()) }
}

/** For options that cannot be given together, or need another; the exit code comes back. */
export function refuse(message: string, json: boolean, hint?: string): number {
  const refused = err('request.invalid', message, hint === undefined ? {} : { hint })
  return printError(refused.error, json)
}
