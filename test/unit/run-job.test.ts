import { beforeEach, describe, expect, it } from 'vitest'

import { err, ok } from '../../electron/contract/outcome'
import type { RunReport } from '../../electron/contract/run'
import type { TensorHandle } from '../../electron/contract/tensor'
import {
  chooseOperator,
  forgetRun,
  refreshRun,
  runChosen,
  runStore,
} from '../../renderer/features/run/run'
import { runJob } from '../../renderer/features/run/job'
import { filesStore } from '../../renderer/store/files'
import { hostStore } from '../../renderer/store/host'
import { schemasStore } from '../../renderer/store/schemas'
import { FakeMain, openInWindow, settled } from './fake-main'

const main = new FakeMain()
const released: number[][] = []

function hostOf(generation: number): void {
  hostStore.setState({ host: { generation, state: 'ready', libtorch: '2', pid: 1 } })
}

function reportOf(handle: number): RunReport {
  const tensor = { kind: 'tensor', handle } as TensorHandle
  return { op: 'f', seconds: 0, inputs: [], outputs: [tensor], comparisons: [] }
}

/** Every call of the operator gives one tensor: 1, then 2, … */
function answerRuns(): void {
  let handle = 0
  main.answers = {
    'operator.run': () => ok(reportOf((handle += 1))),
    'tensor.release': ({ handles }) => {
      released.push(handles)
      return ok({ released: handles.length })
    },
  }
}

beforeEach(() => {
  runJob.reset()
  forgetRun()
  main.forget()
  released.length = 0
  openInWindow('/project')
  const operators = [{ name: 'f', overload: '', arguments: [], schema: 'f() -> Tensor' }]
  schemasStore.setState({ load: { operators } as never })
  hostOf(1)
  runStore.setState({ op: 'f', signature: [] })
  answerRuns()
})

describe('a run', () => {
  it('frees the tensors of the one before, which the same op host holds', async () => {
    await runChosen()
    expect(runJob.store.getState().value?.generation).toBe(1)
    await runChosen()
    expect(released).toEqual([[1]])
    hostOf(2)
    await runChosen()
    expect(released, 'those of an op host that ended are gone with it').toEqual([[1]])
  })

  it('that is stopped leaves nothing on screen: its op host is gone', async () => {
    await runChosen()
    main.hold('operator.run')
    const run = runChosen()
    await settled()
    expect(runJob.store.getState().value?.report.outputs).toHaveLength(1)
    await runJob.stop()
    await run
    expect(runJob.store.getState()).toMatchObject({ running: null, value: null, error: null })
  })

  it('is finished before another is taken', async () => {
    const pending = main.hold('operator.run')
    const run = runChosen()
    await settled()
    await runChosen()
    expect(pending).toHaveLength(1)
    pending[0]?.answer(ok(reportOf(1)))
    await run
  })

  it('of another operator is ended, and its tensors are freed', async () => {
    await runChosen()
    const pending = main.hold('operator.run')
    const run = runChosen()
    await settled()
    await chooseOperator('g')
    pending[0]?.answer(ok(reportOf(2)))
    await run
    expect(main.count('job.cancel')).toBe(1)
    expect(released).toEqual([[1]])
    expect(runJob.store.getState()).toMatchObject({ value: null, error: null })
    expect(runStore.getState().repeats).toBe(false)
  })

  it('repeats after a build, but not what ended the op host with the same sources', async () => {
    const exit = { generation: 1, reason: 'segfault', message: '', stack: [] } as never
    main.answers = { 'operator.run': () => err('host.crashed', 'It crashed.', { exit }) }
    await runChosen()
    await refreshRun('build')
    expect(main.count('operator.run')).toBe(1)
    filesStore.setState(({ sourceRevision }) => ({ sourceRevision: sourceRevision + 1 }))
    await refreshRun('build')
    expect(main.count('operator.run')).toBe(2)
  })
})
