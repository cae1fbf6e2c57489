import { afterEach, beforeEach, expect } from 'vitest'

import { appCalls, appEvents } from '../../electron/contract/app-calls'
import type {
  AppCallName,
  AppCalls,
  AppEvent,
  AppEventName,
  AppOutput,
} from '../../electron/contract/app-calls'
import type { DroppedFile, OpsmithBridge } from '../../electron/contract/bridge'
import { err, ok, workbenchError } from '../../electron/contract/outcome'
import type { Result, WorkbenchError } from '../../electron/contract/outcome'

/** The input of a call as main reads it: defaults are filled in. */
export type Asked<N extends AppCallName> = ReturnType<AppCalls[N]['input']['parse']>

type Answer<N extends AppCallName> = (
  input: Asked<N>,
) => Result<AppOutput<N>> | Promise<Result<AppOutput<N>>>

interface Work<Input, Value> {
  readonly input: Input
  end(result: Result<Value>): void
}

/** Work that runs until the test ends it, or until the window cancels its job. */
export class OpenWork<Input extends object, Value> {
  /** Work that has ended is here too; oldest first. */
  readonly begun: Work<Input, Value>[] = []
  /** Resolves with the first input, once the window has asked for the work. */
  readonly asked: Promise<Input>
  private firstAsked: (input: Input) => void = () => undefined

  constructor() {
    this.asked = new Promise((resolve) => {
      this.firstAsked = resolve
    })
  }

  begin(input: Input): Promise<Result<Value>> {
    this.firstAsked(input)
    return new Promise((end) => this.begun.push({ input, end }))
  }

  get last(): Work<Input, Value> {
    const work = this.begun.at(-1)
    if (!work) throw new Error('no work has begun')
    return work
  }

  /** Ends the work that began last. */
  succeed(value: Value): void {
    this.last.end(ok(value))
  }

  /** Ends the work that began last. */
  fail(error: WorkbenchError): void {
    this.last.end({ ok: false, error })
  }

  /** Ends the work of this job; false where there is none. */
  cancel(job: string): boolean {
    const works = this.begun.filter(({ input }) => 'job' in input && input.job === job)
    for (const { end } of works) end(err('cancelled', 'Stopped.'))
    return works.length > 0
  }

  cancelAll(): void {
    for (const { end } of this.begun) end(err('cancelled', 'Stopped.'))
  }
}

/** Calls of one name that the test answers later. */
export type Held<N extends AppCallName> = OpenWork<Asked<N>, AppOutput<N>>

/**
 * What the preload offers, answered by the test. Inputs, answers and events are read by the message types of the
 * contract, so that no panel is shown what main could not send, and no panel sends what main would refuse.
 */
export class MainProcess implements OpsmithBridge {
  /** The calls that were made, oldest first. */
  readonly calls: { name: AppCallName; input: unknown }[] = []
  private readonly answers = new Map<AppCallName, Answer<never>>()
  /** Kept from one test to the next: the window's stores listen once. */
  private readonly listeners = new Map<AppEventName, Set<(event: never) => void>>()
  private readonly works: Pick<OpenWork<never, never>, 'cancel' | 'cancelAll'>[] = []
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

  /** Leaves such calls open until the test answers, or the window cancels their job. */
  hold<N extends AppCallName>(name: N): Held<N> {
    const work = this.openWork<Asked<N>, AppOutput<N>>()
    this.answer(name, (input) => work.begin(input))
    return work
  }

  /** Work for a job of the test, which calls nothing else of main. */
  openWork<Input extends object, Value>(): OpenWork<Input, Value> {
    const work = new OpenWork<Input, Value>()
    this.works.push(work)
    return work
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
    const read = result.ok
      ? appCalls[name].output.safeParse(result.value)
      : workbenchError.safeParse(result.error)
    if (!read.success) {
      return this.problem(`main could not answer ${name} like this: ${read.error.message}`)
    }
    return result.ok
      ? ok(read.data as AppOutput<N>)
      : { ok: false, error: read.data as WorkbenchError }
  }

  on<N extends AppEventName>(name: N, listener: (event: AppEvent<N>) => void): () => void {
    const listeners = this.listeners.get(name) ?? new Set()
    this.listeners.set(name, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  /** Each file lies in /dropped. */
  dropped(files: readonly DroppedFile[]): Promise<string[]> {
    return Promise.resolve(files.map(({ name }) => `/dropped/${name}`))
  }

  /** Forgets calls and answers. Cancelling a job is answered in every test. */
  reset(): void {
    this.calls.length = 0
    this.works.length = 0
    this.problems.length = 0
    this.answers.clear()
    this.answer('job.cancel', ({ job }) => {
      const ended = this.works.filter((work) => work.cancel(job))
      return ok({ cancelled: ended.length > 0 })
    })
  }

  /** Ends what is still open, so that nothing runs on into the next test. */
  cancelAll(): void {
    for (const work of this.works) work.cancelAll()
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

/** Main for all tests of a file, connected to the window's stores. */
export function connectMain(): MainProcess {
  const main = new MainProcess()
  const known = globalThis as { window?: object }
  known.window ??= {}
  Object.defineProperty(known.window, 'opsmith', { value: main })
  beforeEach(() => {
    main.reset()
  })
  afterEach(() => {
    main.expectNoProblems()
    main.cancelAll()
  })
  return main
}

/** Lets everything happen that waits for nothing but earlier promises. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
}
