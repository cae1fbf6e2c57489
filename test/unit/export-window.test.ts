import { describe, expect, it } from 'vitest'

import type { ExportStep, FileChange, FormDiff } from '../../electron/contract/export'
import { exportFolderOf } from '../../electron/contract/settings'
import {
  formState,
  undecided,
  wouldChange,
  type FormProgress,
} from '../../renderer/features/export/store'

const step = (name: string, status: ExportStep['status'] = 'ok'): ExportStep => ({
  name,
  status,
  reason: status === 'ok' ? '' : 'why',
  seconds: 1,
  log: '',
})

function progress(form: FormProgress['form'], steps: ExportStep[], ok?: boolean): FormProgress {
  const report =
    ok === undefined
      ? null
      : { form, ok, directory: `/out/${form}`, steps, files: [], products: [] }
  return { form, steps, running: null, report }
}

const states = (forms: FormProgress[], isRunning: boolean): string[] =>
  forms.map((form) => formState(form, isRunning))

describe('the status of a form in the window', () => {
  it('a form is done only when every step passed', () => {
    const forms = [
      progress('library', [step('write'), step('calls in Python')], true),
      progress('cmake', [step('write'), step('build'), step('calls', 'skipped')], true),
      progress('jit', [step('write'), step('load', 'skipped')], true),
      progress('app', [step('write'), step('build', 'failed')], false),
    ]
    expect(states(forms, false)).toEqual(['done', 'partly', 'written', 'failed'])
  })

  it('a form is over when its report is there, whatever else runs', () => {
    const forms = [
      progress('library', [step('write'), step('build')]),
      progress('cmake', [step('write'), step('build')], true),
      progress('app', [], false),
      progress('jit', []),
    ]
    expect(states(forms, true)).toEqual(['running', 'done', 'failed', 'waiting'])
  })

  it('a stopped form is not done', () => {
    const forms = [
      progress('library', [step('write'), step('build')]),
      progress('cmake', [step('write'), step('build')], true),
      progress('jit', []),
    ]
    expect(states(forms, false)).toEqual(['stopped', 'done', 'stopped'])
  })
})

const file = (path: string, change: FileChange['change'], byHand = false): FileChange => ({
  path,
  change,
  byHand,
  diff: '',
})

const diff = (exists: boolean, files: FileChange[]): FormDiff => ({
  form: 'library',
  directory: '/out/library',
  exists,
  files,
})

describe('the question before files are written', () => {
  it('a new export and an unchanged export ask nothing', () => {
    expect(wouldChange([diff(false, [file('a', 'added')])])).toBe(false)
    expect(wouldChange([diff(true, [file('a', 'same')])])).toBe(false)
    expect(wouldChange([diff(true, [file('a', 'same'), file('b', 'changed')])])).toBe(true)
  })

  it('each file that was changed by hand needs a decision', () => {
    const diffs = [
      diff(true, [file('a', 'changed', true), file('b', 'changed'), file('c', 'added', true)]),
    ]
    const review = { forms: [], directory: '/out', diffs, onlyShown: false }
    expect(undecided({ ...review, decisions: {} })).toBe(2)
    expect(undecided({ ...review, decisions: { 'library/a': 'keep' } })).toBe(1)
    expect(
      undecided({ ...review, decisions: { 'library/a': 'keep', 'library/c': 'overwrite' } }),
    ).toBe(0)
  })
})

it('exports go into a folder next to the project until another one is chosen', () => {
  expect(exportFolderOf({ exportFolders: {} }, '/home/me/op')).toBe('/home/me/op-exports')
  const chosen = { '/home/me/op': '/out' }
  expect(exportFolderOf({ exportFolders: chosen }, '/home/me/op')).toBe('/out')
})
