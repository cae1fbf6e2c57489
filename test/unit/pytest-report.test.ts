import { expect, it } from 'vitest'

import type { PytestTest } from '../../electron/contract/pytest'
import { whyNoFit } from '../../electron/engine/toolchain/libtorch-fit'
import { ReportReader } from '../../electron/engine/pytest/read-report'
import type { Libtorch } from '../../electron/engine/toolchain/libtorch'

const found = (id: string): object => ({ id, file: '/real/tests/test_a.py', line: 3 })

function finished(id: string, outcome: PytestTest['outcome']): object {
  const place = { file: '/real/ops/__init__.py', line: 7, name: 'add' }
  const test = {
    ...found(id),
    outcome,
    seconds: 0.5,
    message: 'assert 1 == 2',
    text: 'E 1',
    output: '',
  }
  return { event: 'finished', test: { ...test, places: [place] } }
}

function readerOf(...lines: readonly object[]): ReportReader {
  const reader = new ReportReader('/real', '/link')
  reader.take(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return reader
}

const began = { event: 'began', pytest: '9.0.3', torch: '2.13.0' }
const collected = { event: 'collected', tests: [found('a'), found('b')] }

it('a report that arrives in pieces has every test once, in files of the folder that was opened', () => {
  const text = [began, collected, { event: 'started', ...found('a') }, finished('a', 'failed')]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
  const reader = new ReportReader('/real', '/link')
  for (const letter of text) reader.take(letter)
  const { done, total, running, tests } = reader.progress()
  expect({ done, total, running }).toEqual({ done: 1, total: 2, running: '' })
  expect(tests.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(['a failed', 'b none'])
  expect(tests[0]).toMatchObject({
    file: '/link/tests/test_a.py',
    places: [{ file: '/link/ops/__init__.py', line: 7 }],
  })
  expect(reader.progress().tests).toEqual([])
})

it('the test that the process ended in has crashed, and the rest was not run', () => {
  const reader = readerOf(began, collected, { event: 'started', ...found('a') })
  const { tests, ended } = reader.end({ exitCode: null, signal: 'SIGSEGV' })
  expect(tests.map(({ outcome }) => outcome)).toEqual(['crashed', 'none'])
  expect(tests[0]?.message).toBe('The test process ended by SIGSEGV during this test.')
  expect(ended).toBe(
    'pytest ended by SIGSEGV during the test a, so the tests after it did not run.',
  )
})

it('a run that ends between tests is not a good one, and --exitfirst is no early end', () => {
  const early = readerOf(began, collected, finished('a', 'passed'))
  expect(early.end({ exitCode: 1, signal: '' }).ended).toBe('pytest ended with exit code 1.')
  const first = readerOf(began, collected, finished('a', 'failed'), { event: 'ended', status: 2 })
  expect(first.end({ exitCode: 2, signal: '' }).ended).toBe('')
  // A plugin may fail the run: none of its tests says so.
  const spoilt = readerOf(began, finished('a', 'passed'), { event: 'ended', status: 1 })
  expect(spoilt.end({ exitCode: 1, signal: '' }).ended).toBe('pytest ended with exit code 1.')
  const whole = readerOf(began, finished('a', 'passed'), { event: 'ended', status: 0 })
  expect(whole.end({ exitCode: 0, signal: '' }).ended).toBe('')
})

it('lines that are no part of a report are left out', () => {
  const reader = new ReportReader('/real', '/link')
  reader.take(`{}\nnot JSON\n{"event":"finished"}\n${JSON.stringify(began)}\n`)
  expect(reader.pytest).toBe('9.0.3')
  expect(reader.progress()).toMatchObject({ total: 0, tests: [] })
})

it('a library fits the torch of its own version and ABI, with CUDA where it is built with CUDA', () => {
  const torch = (change: Partial<Libtorch>): Libtorch => ({
    folder: '/torch',
    version: '2.13.0+cpu',
    origin: '',
    cxx11Abi: true,
    cxxStandard: 20,
    cuda: '',
    hasCuda: false,
    identity: '',
    judgement: 'usable',
    why: '',
    remedy: '',
    ...change,
  })
  const why = (built: Partial<Libtorch>, loaded: Partial<Libtorch>): string =>
    whyNoFit(torch(built), torch(loaded), 'python3')
  expect(why({}, { version: '2.13.0+cu130', hasCuda: true })).toBe('')
  expect(why({}, { version: '2.9.1' })).toBe(
    'The library is built for libtorch 2.13.0+cpu (/torch), but python3 has torch 2.9.1.',
  )
  expect(why({}, { cxx11Abi: false })).toContain('another C++ ABI')
  expect(why({ hasCuda: true }, {})).toContain('without CUDA')
})
