import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it, vi } from 'vitest'

import { appCalls } from '../../electron/contract/app-calls'
import type { AppCallName } from '../../electron/contract/app-calls'
import type { Result } from '../../electron/contract/outcome'
import { AppSession } from '../../electron/session/app-session'
import { allCalls } from '../../electron/session/calls/all-calls'
import { answer } from '../../electron/session/calls/handle'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { seeded, ShapeMessages } from '../support/from-shape'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { nobody } from '../support/nobody'

const seed = Number(process.env['OPSMITH_TEST_SEED'] ?? 20)
const messages = 10_000
const batch = 50
/** Milliseconds in which a message is answered, others being answered meanwhile: more is called a hang. */
const patience = 300_000
/** Fitting messages to a call that does much: builds, op hosts that end, compilers that are asked for a version. */
const fewOfSlow = 3

const cache = makeTestCache()
const folder = copyProject(path.join(root, 'samples/my_op'), cache)
const pristine = copyProject(folder, cache)
const session = new AppSession(testInstallation(cache), nobody, folder)
const names = Object.keys(appCalls) as AppCallName[]
const errors: string[] = []

/** The project as it was, open and trusted, whatever a message has done to it. */
async function restore(): Promise<void> {
  fs.cpSync(pristine, folder, { recursive: true, force: true })
  await changeSettings(cache.places.configFolder, {
    hotCompile: false,
    callTimeout: 5,
    memoryLimit: 0,
  })
  await session.workbench.applySettings()
  const opened = await session.open(folder)
  if (!opened.ok) throw new Error(opened.error.message)
  await session.decideTrust(session.project ?? expect.unreachable(), true, false)
}

beforeAll(async () => {
  // Some messages name ".." as a folder: above the clone it would be a search through other people's projects.
  const empty = path.join(cache.home, 'empty', 'folder')
  fs.mkdirSync(empty, { recursive: true })
  process.chdir(empty)
  // What main could not answer for, it says here.
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    errors.push(String(text))
    return true
  })
  await restore()
})
afterAll(async () => {
  await session.close()
  vi.restoreAllMocks()
  cache.remove()
})

const texts = [
  folder,
  folder,
  folder,
  pristine,
  path.join(cache.home, 'nothing'),
  'op.cpp',
  'opsmith.json',
  'program.py',
  'job-1',
  'job-2',
  'my_op::my_op',
  'x',
  'my_op.forward',
  'float32',
  'cpu',
]

interface Sent {
  number: number
  name: AppCallName
  input: unknown
  fits: boolean
}

const slowCalls = new Set<AppCallName>([
  'doctor.report',
  'host.restart',
  'language.restart',
  'project.propose',
  'registry.describe',
  'registry.list',
  'settings.set',
  'timing.ceilings',
  'trust.answer',
  'trust.forget',
])

const isSlow = (name: AppCallName): boolean =>
  slowCalls.has(name) || ('shape' in appCalls[name].input && 'job' in appCalls[name].input.shape)

/** A message depends on the seed and its number alone. */
function messageOf(number: number): Sent {
  const random = seeded(seed * 1_000_003 + number)
  const make = new ShapeMessages(random, texts)
  const name = names[number % names.length] ?? 'app.info'
  const shape = appCalls[name].input
  const isRefused = isSlow(name) && number >= fewOfSlow * names.length
  const wantsFit = random() < 0.75 && !isRefused
  const made = wantsFit ? make.fitting(shape) : make.spoiled(shape)
  // A call without fields takes almost anything.
  const input = isRefused && shape.safeParse(made).success ? null : made
  return { number, name, input, fits: shape.safeParse(input).success }
}

const jobOf = (input: unknown): string | undefined =>
  typeof input === 'object' && input !== null && 'job' in input && typeof input.job === 'string'
    ? input.job
    : undefined

/** What is wrong with the answer; "" for an ok and for an error of ours. */
async function faultOf({ name, input, fits }: Sent): Promise<string> {
  let late: NodeJS.Timeout | undefined
  const hang = new Promise<'hang'>((resolve) => {
    late = setTimeout(() => resolve('hang'), patience)
  })
  const answering = answer(session, allCalls, name, input)
  const job = jobOf(input)
  // A build or a check of seconds is begun, and ended.
  if (fits && job !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    await answer(session, allCalls, 'job.cancel', { job })
  }
  const given = await Promise.race([answering, hang])
  clearTimeout(late)
  if (given === 'hang') return 'no answer'
  const result: Result<unknown> = given
  if (result.ok) {
    const parsed = appCalls[name].output.safeParse(result.value)
    return parsed.success ? '' : `an answer that is not in the contract: ${parsed.error.message}`
  }
  if (result.error.code === 'internal')
    return `${result.error.message}\n${result.error.detail ?? ''}`
  if (!fits && result.error.code !== 'request.invalid') return `${result.error.code}, not refused`
  return result.error.message === '' ? 'an error without a message' : ''
}

it('ten thousand messages, of which many fit, are answered or refused with a reason', async () => {
  const faults: string[] = []
  let fitting = 0
  for (let first = 0; first < messages; first += batch) {
    if (first % (batch * 10) === 0) await restore()
    const sent = Array.from({ length: Math.min(batch, messages - first) }, (_, index) =>
      messageOf(first + index),
    )
    fitting += sent.filter(({ fits }) => fits).length
    const found = await Promise.all(sent.map(faultOf))
    found.forEach((fault, index) => {
      const one = sent[index]
      if (fault === '' || !one) return
      const text = JSON.stringify(one.input, (_key, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      faults.push(`${one.number} ${one.name} ${text.slice(0, 400)}\n${fault}`)
    })
    if (faults.length > 10) break
  }
  process.stdout.write(`every-call: seed ${seed}, ${messages} messages, ${fitting} fit\n`)
  expect(fitting).toBeGreaterThan(0.45 * messages)
  expect(faults).toEqual([])
  expect(errors).toEqual([])
}, 3_600_000)
