import { appCalls } from '../../contract/app-calls'
import type { AppCallName, AppInput } from '../../contract/app-calls'
import { machineOf, placeName } from '../../contract/project-place'
import type { ProjectPlace } from '../../contract/project-place'
import type { Connection as ConnectionState } from '../../contract/remote-calls'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Project } from '../../contract/project'
import type { NamedTarget } from '../../engine/remote/targets'
import type { NewestOfEach } from '../newest-of-each'
import type { Connection } from './connection'
import type { LocalCopies } from './local-copies'

/** The project of another machine that is open. */
export interface Open {
  target: NamedTarget
  /** There; absolute. */
  folder: string
  /** Undefined while the connection is lost. */
  connection: Connection | undefined
  /** While the connection is lost: its engine goes on, as far as is known. */
  kept: Connection | undefined
  /** See the contract. */
  engine: number
  copies: LocalCopies
  /** Drafts on their way there; nobody waits for them. */
  drafts: NewestOfEach
  attempts: number
  timer: NodeJS.Timeout | undefined
}

/** What Doctor shows is of the other machine: a path of it must not become a program that runs here. */
export function choosesTools(change: object): boolean {
  return ['compiler', 'libtorch', 'clangd', 'gpu'].some((tool) => tool in change)
}

export function isCallName(name: string): name is AppCallName {
  return Object.hasOwn(appCalls, name)
}

export function nameOf({ target, folder }: Open): string {
  return placeName({ target: target.name, folder } satisfies ProjectPlace)
}

const noPlace = { target: { name: '' }, folder: '', engine: 0, kept: undefined }

export function stateOf(open: Open | undefined, state: ConnectionState['state']): ConnectionState {
  const { target, folder, engine, kept } = open ?? noPlace
  const none = { message: '', hint: '', detail: '', retryAt: 0 }
  return { target: target.name, folder, state, engine, isKept: kept !== undefined, ...none }
}

export function withTarget(project: Project, target: NamedTarget): Project {
  return { ...project, target: target.name }
}

export function lostError({ target }: Open): Result<never> {
  const machine = machineOf(target.name)
  return err('target.unavailable', `There is no connection to ${machine}.`, {
    hint: 'Wait until Opsmith has connected again, or choose Reconnect in the bar above the panels.',
  })
}

export async function ofResults(
  { copies }: Open,
  name: AppCallName,
  input: unknown,
): Promise<Result<unknown>> {
  return name === 'results.read'
    ? ok(await copies.results())
    : await copies.keepResults((input as AppInput<'results.keep'>).text)
}
