import path from 'node:path'

import { z } from 'zod'

import { isBadOutcome, pytestTest } from '../../contract/pytest'
import type { PytestProgress, PytestTest } from '../../contract/pytest'
import { argumentsText, recordedCall, requiresGrad } from '../../contract/recorded-calls'
import type { RecordedCall } from '../../contract/recorded-calls'

const foundTest = pytestTest.pick({ id: true, file: true, line: true })

/** The lines that native/python/opsmith_pytest.py sends. */
const reportLine = z.discriminatedUnion('event', [
  z.object({ event: z.literal('began'), pytest: z.string(), torch: z.string() }),
  /** The library could not be loaded. */
  z.object({ event: z.literal('refused'), message: z.string() }),
  z.object({ event: z.literal('replaced'), what: z.string() }),
  z.object({ event: z.literal('collected'), tests: z.array(foundTest) }),
  foundTest.extend({ event: z.literal('started') }),
  z.object({ event: z.literal('finished'), test: pytestTest }),
  z.object({ event: z.literal('called'), call: recordedCall }),
  z.object({ event: z.literal('ended'), status: z.int() }),
])

/** How the process of a run ended. */
export interface ProcessEnd {
  /** null where a signal ended it. */
  exitCode: number | null
  signal: string
}

/** Puts the lines of a run's report together; what is no line of the report is left out. */
export class ReportReader {
  pytest = ''
  torch = ''
  /** Why the library could not be loaded; "" where it was. */
  refusal = ''
  readonly replaced: string[] = []
  /** pytest has ended as it should. */
  hasEnded = false
  private readonly known = new Map<string, PytestTest>()
  private readonly recorded = new Map<string, RecordedCall>()
  private total = 0
  private done = 0
  private running = ''
  private rest = ''
  private changed = new Map<string, PytestTest>()

  /**
   * @param realFolder the project's folder as Python names it, without links
   * @param folder the same as the window names it
   */
  constructor(
    private readonly realFolder: string,
    private readonly folder: string,
  ) {}

  /** Takes text as it comes: lines may arrive in pieces. */
  take(text: string): void {
    const lines = (this.rest + text).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.takeLine(line)
  }

  private takeLine(text: string): void {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return
    }
    const line = reportLine.safeParse(value)
    if (!line.success) return
    const { data } = line
    if (data.event === 'began') {
      this.pytest = data.pytest
      this.torch = data.torch
    } else if (data.event === 'refused') this.refusal = data.message
    else if (data.event === 'replaced') {
      // Each worker of pytest-xdist says it.
      if (!this.replaced.includes(data.what)) this.replaced.push(data.what)
    } else if (data.event === 'called') this.noteCall(data.call)
    else if (data.event === 'collected') {
      this.total = data.tests.length
      for (const test of data.tests) this.find(test)
    } else if (data.event === 'started') {
      this.running = data.id
      this.find(data)
    } else if (data.event === 'finished') {
      this.finish(data.test)
    } else this.hasEnded = true
  }

  /** Each worker of pytest-xdist reports its own calls. */
  private noteCall(call: RecordedCall): void {
    const kind = `${call.op}(${argumentsText(call)}) ${requiresGrad(call)} ${call.why}`
    if (!this.recorded.has(kind)) this.recorded.set(kind, call)
  }

  calls(): RecordedCall[] {
    return [...this.recorded.values()]
  }

  private find({ id, file, line }: z.infer<typeof foundTest>): void {
    // pytest-xdist finds tests in other processes: they are known when they start.
    if (this.known.has(id)) return
    this.note({
      id,
      file: this.asNamed(file),
      line,
      outcome: 'none',
      seconds: 0,
      message: '',
      text: '',
      output: '',
      places: [],
    })
  }

  private finish(test: PytestTest): void {
    if (this.running === test.id) this.running = ''
    this.done += 1
    const places = test.places.map((place) => ({ ...place, file: this.asNamed(place.file) }))
    this.note({ ...test, file: this.asNamed(test.file), places })
  }

  private note(test: PytestTest): void {
    this.known.set(test.id, test)
    this.changed.set(test.id, test)
  }

  /** A file of the project by the name of the folder that the user opened, which may be a link. */
  private asNamed(file: string): string {
    const isInside = file.startsWith(`${this.realFolder}${path.sep}`)
    return isInside ? this.folder + file.slice(this.realFolder.length) : file
  }

  /** How far the run is; tests that were reported once are not among `tests` again. */
  progress(): PytestProgress {
    const tests = [...this.changed.values()]
    this.changed = new Map()
    const { done, running } = this
    return { done, total: Math.max(this.total, this.known.size), running, tests }
  }

  /**
   * The tests, after the process has ended. The one that it ended in has crashed.
   * @returns `ended`: why not all of them ran; "" where they did
   */
  end({ exitCode, signal }: ProcessEnd): { tests: PytestTest[]; ended: string } {
    const how = signal === '' ? `with exit code ${String(exitCode)}` : `by ${signal}`
    const crashed = this.known.get(this.running)
    if (!this.hasEnded && crashed) {
      const message = `The test process ended ${how} during this test.`
      this.note({ ...crashed, outcome: 'crashed', message })
      return {
        tests: this.tests(),
        ended: `pytest ended ${how} during the test ${crashed.id}, so the tests after it did not run.`,
      }
    }
    // 2: somebody, --exitfirst or errors of the collection ended it; 3: a bug of pytest or of a plugin.
    const hasFailed = this.tests().some(({ outcome }) => isBadOutcome(outcome))
    const isGood = exitCode === 0 || exitCode === 5
    const isFailed = (exitCode === 1 || exitCode === 2) && hasFailed
    const ended = this.hasEnded && (isGood || isFailed) ? '' : `pytest ended ${how}.`
    return { tests: this.tests(), ended }
  }

  private tests(): PytestTest[] {
    return [...this.known.values()]
  }
}
