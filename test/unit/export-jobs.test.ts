import { beforeEach, describe, expect, it } from 'vitest'

import type { ExportStep, FormDiff, FormReport } from '../../electron/contract/export'
import { ok } from '../../electron/contract/outcome'
import { exportStore, formState } from '../../renderer/features/export/store'
import {
  chosenForms,
  exportChosen,
  forgetExports,
  isExporting,
  showChanges,
  stopExport,
} from '../../renderer/features/export/run'
import { changesJob, choicesJob, exportJob } from '../../renderer/features/export/jobs'
import { connectMain, settled } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()

const step = (name: string): ExportStep => ({ name, status: 'ok', reason: '', seconds: 1, log: '' })
const report = (form: FormReport['form']): FormReport => ({
  form,
  ok: true,
  directory: `/out/${form}`,
  steps: [step('write'), step('build')],
  files: [],
  products: [],
})
const diffOf = (exists: boolean): FormDiff => ({
  form: 'cmake',
  directory: '/out/cmake',
  exists,
  files: [{ path: 'a.cpp', change: exists ? 'changed' : 'added', byHand: exists, diff: '' }],
})

beforeEach(() => {
  for (const job of [changesJob, exportJob]) job.reset()
  forgetExports()
  openInWindow('/project', { exports: ['cmake', 'library'] })
})

function states(): string[] {
  const { running, stopping, progress, value } = exportJob.store.getState()
  const isRunning = running !== null && !stopping
  const { forms } = (running === null ? value : progress) ?? { forms: [] }
  return forms.map((form) => formState(form, isRunning))
}

describe('an export', () => {
  it('of a folder without one is written at once, step by step', async () => {
    main.give('export.diff', [diffOf(false)])
    const pending = main.hold('export.run')
    const run = exportChosen()
    await settled()
    expect(pending.begun[0]?.input.request.forms).toEqual(['cmake', 'library'])
    const job = pending.begun[0]?.input.job ?? ''
    main.send('export.progressed', { job, form: 'cmake', done: 0, total: 2, running: 'build' })
    main.send('export.output', { job, form: 'cmake', step: 'build', text: 'compiling\n' })
    expect(states()).toEqual(['running', 'waiting'])
    expect(exportJob.store.getState().progress?.forms[0]?.running?.log.text()).toBe('compiling')
    const forms = [report('cmake'), report('library')]
    pending.begun[0]?.end(ok({ ok: true, seconds: 3, forms }))
    await run
    expect(states()).toEqual(['done', 'done'])
    expect(exportJob.store.getState().value?.report?.seconds).toBe(3)
  })

  it('that would change files is shown first, and written with the decisions', async () => {
    main.give('export.diff', [diffOf(true)])
    const pending = main.hold('export.run')
    await exportChosen()
    expect(pending.begun).toHaveLength(0)
    expect(exportStore.getState().review).toMatchObject({ onlyShown: false })
    await exportChosen()
    expect(pending.begun, 'a file that was changed by hand has no decision').toHaveLength(0)
    exportStore.setState(({ review }) => ({
      review: review && { ...review, decisions: { 'cmake/a.cpp': 'keep' as const } },
    }))
    void exportChosen()
    await settled()
    expect(pending.begun[0]?.input.request.decisions).toEqual({ 'cmake/a.cpp': 'keep' })
    expect(exportStore.getState().review).toBeNull()
    await stopExport()
  })

  it('that is stopped leaves its forms as stopped, whatever main sends after it', async () => {
    main.give('export.diff', [diffOf(false)])
    const pending = main.hold('export.run')
    const run = exportChosen()
    await settled()
    const job = pending.begun[0]?.input.job ?? ''
    const about = { job, done: 1, total: 2, running: '' }
    main.send('export.progressed', { ...about, form: 'cmake', report: report('cmake') })
    const stop = stopExport()
    main.send('export.progressed', { ...about, form: 'library', step: step('write') })
    await Promise.all([stop, run])
    expect(states()).toEqual(['done', 'stopped'])
    const { value, error } = exportJob.store.getState()
    expect(value).toMatchObject({ isStopped: true, report: null })
    expect(value?.forms[1]?.steps).toEqual([])
    expect(error).toBeNull()
  })

  it('that fails keeps what was done, and says why until the next one begins', async () => {
    main.give('export.diff', [diffOf(false)])
    main.refuse('export.run', { code: 'io', message: 'The disk is full.' })
    await exportChosen()
    expect(states()).toEqual(['stopped', 'stopped'])
    expect(exportJob.store.getState().value?.isStopped).toBe(false)
    expect(exportJob.store.getState().error?.code).toBe('io')
    main.hold('export.diff')
    void showChanges()
    await settled()
    expect(exportJob.store.getState().error).toBeNull()
    expect(exportJob.store.getState().value?.forms).toHaveLength(2)
    await stopExport()
    expect(changesJob.store.getState()).toMatchObject({ running: null, error: null })
    expect(exportStore.getState().review).toBeNull()
  })

  it('is not begun twice', async () => {
    const pending = main.hold('export.diff')
    void exportChosen()
    await settled()
    expect(isExporting()).toBe(true)
    await exportChosen()
    await showChanges()
    expect(pending.begun).toHaveLength(1)
    await stopExport()
    expect(isExporting()).toBe(false)
  })

  it('takes no form that the project cannot be exported in', async () => {
    const choice = {
      purpose: '',
      reason: '',
      hint: '',
      obstacles: [],
      untried: [],
      wheelPerTorch: false,
    }
    main.give('export.forms', [
      { ...choice, form: 'library', possible: true },
      { ...choice, form: 'cmake', possible: false },
    ])
    await choicesJob.run()
    expect(chosenForms()).toEqual(['library'])
    forgetExports()
    expect(choicesJob.store.getState().value).toBeNull()
  })
})
