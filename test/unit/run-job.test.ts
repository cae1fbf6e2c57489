import { beforeEach, describe, expect, it } from 'vitest'

import { ok } from '../../electron/contract/outcome'
import type { RunReport } from '../../electron/contract/run'
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
import { crashed, runOf, tensorOf } from '../component/support/answers'
import { connectMain, settled } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()
const released: number[][] = []

function hostOf(generation: number): void {
  hostStore.setState({ host: { generation, state: 'ready', libtorch: '2', pid: 1 } })
}

function reportOf(handle: number): RunReport {
  return runOf({ op: 'f', inputs: [], outputs: [tensorOf({ handle })] })
}

/** Every call of the operator gives one tensor: 1, then 2, … */
function answerRuns(): void {
  let handle = 0
  main.answer('operator.run', () => ok(reportOf((handle += 1))))
  const size = { rows: 2, columns: 2, pageRows: 2, pageColumns: 2 }
  main.give('tensor.page', { ...size, rowStart: 0, columnStart: 0, values: [-1, 0, 1, 4] })
  main.answer('tensor.release', ({ handles }) => {
    released.push(handles)
    return ok({ released: handles.length })
  })
}

beforeEach(() => {
  answerRuns()
  runJob.reset()
  forgetRun()
  released.length = 0
  openInWindow('/project')
  const operators = [{ name: 'f', overload: '', arguments: [], schema: 'f() -> Tensor' }]
  schemasStore.setState({ load: { operators } as never })
  hostOf(1)
  runStore.setState({ op: 'f', signature: [] })
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
    expect(pending.begun).toHaveLength(1)
    pending.begun[0]?.end(ok(reportOf(1)))
    await run
  })

  it('of another operator is ended, and its tensors are freed', async () => {
    await runChosen()
    const pending = main.hold('operator.run')
    const run = runChosen()
    await settled()
    await chooseOperator('g')
    pending.begun[0]?.end(ok(reportOf(2)))
    await run
    expect(main.asked('job.cancel')).toHaveLength(1)
    expect(released).toEqual([[1]])
    expect(runJob.store.getState()).toMatchObject({ value: null, error: null })
    expect(runStore.getState().repeats).toBe(false)
  })

  it('repeats after a build, but not what ended the op host with the same sources', async () => {
    main.refuse('operator.run', crashed)
    await runChosen()
    await refreshRun('build')
    expect(main.asked('operator.run')).toHaveLength(1)
    filesStore.setState(({ sourceRevision }) => ({ sourceRevision: sourceRevision + 1 }))
    await refreshRun('build')
    expect(main.asked('operator.run')).toHaveLength(2)
  })
})
