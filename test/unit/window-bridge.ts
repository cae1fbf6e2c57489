import type {
  AppCallName,
  AppEvent,
  AppEventName,
  AppInput,
  AppOutput,
} from '../../electron/contract/app-calls'
import type { OpsmithBridge } from '../../electron/contract/bridge'
import { err, ok, type Result } from '../../electron/contract/outcome'
import type { Project, ProjectFile } from '../../electron/contract/project'
import { projectStore } from '../../renderer/store/project'

type Answer<N extends AppCallName> = (
  input: AppInput<N>,
) => Result<AppOutput<N>> | Promise<Result<AppOutput<N>>>

type Answers = { [N in AppCallName]?: Answer<N> }

/** Kept from one test to the next: a job listens once, when it first runs. */
const listenersOf = new Map<string, Set<(event: never) => void>>()

/** The window's side of main in a unit test: calls are answered by `answers` and noted, events are sent by hand. */
export class WindowBridge implements OpsmithBridge {
  readonly calls: { name: AppCallName; input: unknown }[] = []
  constructor(private readonly answers: Answers) {
    Object.assign(globalThis, { window: { opsmith: this } })
  }

  async call<N extends AppCallName>(name: N, input: AppInput<N>): Promise<Result<AppOutput<N>>> {
    this.calls.push({ name, input })
    const answer = this.answers[name]
    return answer ? await answer(input) : err('internal', `The test has no answer to ${name}.`)
  }

  on<N extends AppEventName>(name: N, listener: (event: AppEvent<N>) => void): () => void {
    const listeners = listenersOf.get(name) ?? new Set()
    listenersOf.set(name, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  send<N extends AppEventName>(name: N, event: AppEvent<N>): void {
    for (const listener of listenersOf.get(name) ?? []) listener(event as never)
  }

  /** What one call was asked with, in order. */
  inputs<N extends AppCallName>(name: N): AppInput<N>[] {
    return this.calls.flatMap((item) => (item.name === name ? [item.input as AppInput<N>] : []))
  }
}

type Work<T> = {
  end: (result: Result<T>) => void
  input: { job: string }
}

/** Work of main that ends when the test says so, or with "cancelled" when the window cancels it. */
export class WorkInMain<T> {
  readonly begun: Work<T>[] = []

  readonly answer = (input: { job: string }): Promise<Result<T>> =>
    new Promise((resolve) => this.begun.push({ end: resolve, input }))

  readonly cancel = ({ job }: { job: string }): Result<{ cancelled: boolean }> => {
    const works = this.begun.filter(({ input }) => input.job === job)
    for (const { end } of works) end(err('cancelled', 'Stopped.'))
    return ok({ cancelled: works.length > 0 })
  }

  /** The work that began last. */
  get last(): Work<T> {
    const work = this.begun.at(-1)
    if (!work) throw new Error('no work has begun')
    return work
  }
}

export const folder = '/projects/first'

export function openTestProject(files: readonly ProjectFile[] = []): void {
  const project: Project = { folder, name: 'first', files: [...files] }
  projectStore.setState({ project })
}

/** Lets everything happen that waits for nothing but earlier promises. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
