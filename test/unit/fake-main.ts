import { vi } from 'vitest'

import type {
  AppCallName,
  AppEvent,
  AppEventName,
  AppInput,
  AppOutput,
} from '../../electron/contract/app-calls'
import { manifest } from '../../electron/contract/manifest'
import { err, type Result } from '../../electron/contract/outcome'
import { projectStore } from '../../renderer/store/project'

type Answer<N extends AppCallName> = (
  input: AppInput<N>,
) => Result<AppOutput<N>> | Promise<Result<AppOutput<N>>>
type Answers = { [N in AppCallName]?: Answer<N> }

/** A call that is answered when the test says so, or as cancelled when the window cancels its job. */
export type Pending<N extends AppCallName> = {
  input: AppInput<N>
  answer: (result: Result<AppOutput<N>>) => void
}

/** Main, as the window sees it through the bridge: answers, events, and what was asked. */
export class FakeMain {
  /** Names of calls in the order in which they came. */
  asked: AppCallName[] = []
  answers: Answers = {}
  private readonly listeners = new Map<string, Set<(event: never) => void>>()
  private readonly cancels = new Map<string, () => void>()

  constructor() {
    vi.stubGlobal('window', {
      opsmith: {
        call: (name: AppCallName, input: never) => this.call(name, input),
        on: (name: string, listener: (event: never) => void) => {
          const known = this.listeners.get(name) ?? new Set()
          this.listeners.set(name, known.add(listener))
          return () => known.delete(listener)
        },
      },
    })
  }

  send<N extends AppEventName>(name: N, event: AppEvent<N>): void {
    for (const listener of this.listeners.get(name) ?? []) listener(event as never)
  }

  /** Leaves calls of this name open; they are in the list, oldest first. */
  hold<N extends AppCallName>(name: N): Pending<N>[] {
    const pending: Pending<N>[] = []
    const answer = (input: AppInput<N>): Promise<Result<AppOutput<N>>> =>
      new Promise((resolve) => {
        const { job } = input as { job?: string }
        if (job !== undefined) this.cancels.set(job, () => resolve(err('cancelled', 'Stopped.')))
        pending.push({ input, answer: resolve })
      })
    this.answers = { ...this.answers, [name]: answer }
    return pending
  }

  count(name: AppCallName): number {
    return this.asked.filter((one) => one === name).length
  }

  forget(): void {
    this.asked = []
    this.answers = {}
    this.cancels.clear()
  }

  private async call(name: AppCallName, input: never): Promise<Result<unknown>> {
    this.asked.push(name)
    if (name === 'job.cancel') {
      this.cancels.get((input as { job: string }).job)?.()
      return { ok: true, value: { cancelled: true } }
    }
    const answer = this.answers[name] as ((given: never) => Promise<Result<unknown>>) | undefined
    return answer ? answer(input) : err('internal', `${name} is not answered here.`)
  }
}

/** Opens a project in the window's stores, or none. */
export function openInWindow(folder: string | null, given: Record<string, unknown> = {}): void {
  const described = manifest.parse({ name: 'p', sources: ['a.cpp'], ...given })
  projectStore.setState({
    project: folder === null ? null : { folder, name: 'p', files: [], manifest: described },
  })
}

/** Lets everything run that waits for answers which are there already. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
}
