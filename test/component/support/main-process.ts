import { expect } from 'vitest'

import { appCalls, appEvents } from '../../../electron/contract/app-calls'
import type {
  AppCallName,
  AppCalls,
  AppEvent,
  AppEventName,
  AppOutput,
} from '../../../electron/contract/app-calls'
import type { OpsmithBridge } from '../../../electron/contract/bridge'
import { err, ok } from '../../../electron/contract/outcome'
import type { Result, WorkbenchError } from '../../../electron/contract/outcome'

/** The input of a call as main reads it: defaults are filled in. */
export type Asked<N extends AppCallName> = ReturnType<AppCalls[N]['input']['parse']>

type Answer<N extends AppCallName> = (
  input: Asked<N>,
) => Result<AppOutput<N>> | Promise<Result<AppOutput<N>>>

/** A call that the test answers later: meanwhile the panel shows that it works. */
export interface OpenCall<N extends AppCallName> {
  /** Resolves with the input once the renderer has made the call. */
  readonly asked: Promise<Asked<N>>
  succeed(value: AppOutput<N>): void
  fail(error: WorkbenchError): void
}

/**
 * What the preload offers, answered by the test. Inputs, answers and events are read by the message types of the
 * contract, so that no panel is shown what main could not send, and no panel sends what main would refuse.
 */
export class MainProcess implements OpsmithBridge {
  /** The calls that were made, oldest first. */
  readonly calls: { name: AppCallName; input: unknown }[] = []
  private readonly answers = new Map<AppCallName, Answer<never>>()
  private readonly listeners = new Map<AppEventName, Set<(event: never) => void>>()
  private readonly problems: string[] = []

  /** Answers every such call from now on. */
  answer<N extends AppCallName>(name: N, answer: Answer<N>): void {
    this.answers.set(name, answer)
  }

  /** Answers every such call with this value from now on. */
  give<N extends AppCallName>(name: N, value: AppOutput<N>): void {
    this.answer(name, () => ok(value))
  }

  /** Refuses every such call from now on. */
  refuse(name: AppCallName, error: WorkbenchError): void {
    this.answer(name, () => ({ ok: false, error }))
  }

  /** Leaves such calls open until the test answers. */
  hold<N extends AppCallName>(name: N): OpenCall<N> {
    let answer: (result: Result<AppOutput<N>>) => void = () => undefined
    let tell: (input: Asked<N>) => void = () => undefined
    const asked = new Promise<Asked<N>>((resolve) => {
      tell = resolve
    })
    const answered = new Promise<Result<AppOutput<N>>>((resolve) => {
      answer = resolve
    })
    this.answer(name, (input) => {
      tell(input)
      return answered
    })
    return {
      asked,
      succeed: (value) => {
        answer(ok(value))
      },
      fail: (error) => {
        answer({ ok: false, error })
      },
    }
  }

  /** Inputs of the calls of this name, oldest first. */
  asked<N extends AppCallName>(name: N): Asked<N>[] {
    return this.calls.flatMap((one) => (one.name === name ? [one.input as Asked<N>] : []))
  }

  send<N extends AppEventName>(name: N, event: AppEvent<N>): void {
    const sent = appEvents[name].parse(event)
    for (const listener of this.listeners.get(name) ?? []) listener(sent as never)
  }

  async call<N extends AppCallName>(name: N, given: unknown): Promise<Result<AppOutput<N>>> {
    const input = appCalls[name].input.safeParse(given)
    if (!input.success) {
      return this.problem(`${name} was called with what main refuses: ${input.error.message}`)
    }
    this.calls.push({ name, input: input.data })
    const answer = this.answers.get(name)
    if (!answer) return this.problem(`no answer was given for ${name}`)
    const result = await (answer as Answer<N>)(input.data as Asked<N>)
    if (!result.ok) return result
    const output = appCalls[name].output.safeParse(result.value)
    if (output.success) return ok(output.data as AppOutput<N>)
    return this.problem(`main could not answer ${name} like this: ${output.error.message}`)
  }

  on<N extends AppEventName>(name: N, listener: (event: AppEvent<N>) => void): () => void {
    const listeners = this.listeners.get(name) ?? new Set()
    this.listeners.set(name, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  /** Fails the test for a call that had no answer, or did not fit the contract. */
  expectNoProblems(): void {
    expect(this.problems).toEqual([])
  }

  private problem(text: string): Result<never> {
    this.problems.push(text)
    return err('internal', text)
  }
}
