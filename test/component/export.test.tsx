import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'

import type {
  AbiReport,
  ExportStep,
  FileChange,
  FormChoice,
  FormDiff,
  FormReport,
} from '../../electron/contract/export'
import { ok } from '../../electron/contract/outcome'
import { defaultSettings } from '../../electron/contract/settings'
import { exportCommandLine } from '../../renderer/features/export/run'
import { buildJob } from '../../renderer/store/build'
import { noteVisible } from '../../renderer/store/layout'
import { requestBuild } from '../../renderer/store/loop'
import { buildOf, crashed, folder, load } from './support/answers'
import { chooseSlurm, followedOf, givePlaces, runStateOf, sendResults } from './support/runs'
import { expectNone, main, open, saveSource, show } from './support/window'
import type { GivenManifest } from './support/answers'

function choiceOf(form: FormChoice['form'], more: Partial<FormChoice> = {}): FormChoice {
  return {
    form,
    purpose: '',
    possible: true,
    reason: '',
    hint: '',
    obstacles: [],
    untried: [],
    wheelPerTorch: form === 'setuptools',
    ...more,
  }
}

const choices = [
  choiceOf('library'),
  choiceOf('cmake', { untried: ['cmake is not installed: apt install cmake'] }),
  choiceOf('stable', {
    possible: false,
    reason: 'The sources use more than the stable ABI.',
    obstacles: [{ file: 'op.cpp', line: 4, message: 'ATen/ATen.h is not stable' }],
  }),
]

function stepOf(name: string, more: Partial<ExportStep> = {}): ExportStep {
  return { name, status: 'ok', reason: '', seconds: 1, log: '', ...more }
}

const calls = stepOf('calls in Python', { log: '$ python3 -m unittest\nOK\n' })
const untried = stepOf('build', { status: 'skipped', reason: 'cmake is not installed' })

const abi: AbiReport = {
  library: 'libmy_op.so',
  architecture: 'x86_64',
  libtorch: '2.13.0+cpu',
  minimumLibtorch: '2.13',
  cxx11Abi: true,
  glibc: '2.34',
  glibcxx: '3.4.30',
  cxxabi: '',
  needed: ['libtorch.so'],
  runPath: [],
  cudaArchitectures: [],
  bytes: 20_480,
}

function reportOf(form: FormReport['form'], steps: ExportStep[]): FormReport {
  return {
    form,
    ok: steps.every((step) => step.status !== 'failed'),
    directory: `/projects/my_op-exports/${form}`,
    steps,
    files: ['README.md', 'libmy_op.so'],
    products: [],
  }
}

function giveReport(...forms: FormReport[]): void {
  main.give('export.run', { ok: forms.every((form) => form.ok), seconds: 9, forms })
}

function diffOf(files: FileChange[]): FormDiff {
  return { form: 'library', directory: '/projects/my_op-exports/library', exists: true, files }
}

const byHand: FileChange = {
  path: 'README.md',
  change: 'changed',
  byHand: true,
  diff: '--- a\n+++ b\n@@ -1,2 +1,1 @@\n one\n-Written by hand.\n',
}

beforeEach(() => {
  main.give('export.forms', choices)
  main.give('export.diff', [])
})

async function openExport(manifest: GivenManifest = {}): Promise<void> {
  await open(manifest)
  show('export')
  await screen.findByTestId('export-choose-library')
}

async function exportNow(): Promise<void> {
  await userEvent.click(screen.getByTestId('export-run'))
}

const state = (form: string): string | undefined =>
  screen.getByTestId(`export-result-${form}`).dataset['state']
const verdict = (): string | undefined => screen.getByTestId('export-verdict').dataset['verdict']
const steps = (): (string | undefined)[] =>
  screen.getAllByTestId('export-step').map((step) => step.dataset['status'])

describe('the forms of an export', () => {
  it('without a choice the library is chosen, and impossible forms cannot be', async () => {
    await openExport()
    expect(screen.getByTestId('export-form-library').dataset['possible']).toBe('true')
    expect(screen.getByTestId('export-choose-library')).toHaveProperty('checked', true)
    expect(screen.getByTestId('export-form-stable').dataset['possible']).toBe('false')
    expect(screen.getByTestId('export-choose-stable')).toHaveProperty('disabled', true)
    expect(screen.getByText(/^Writes complete projects/)).toBeTruthy()
  })

  it('a form shows what keeps the sources from it and what of its proof cannot be tried', async () => {
    await openExport()
    await userEvent.click(screen.getByTestId('export-about-stable'))
    expect(screen.getByTestId('export-about-text-stable').textContent).toMatch(/op\.cpp:4/)
    await userEvent.click(screen.getByTestId('export-about-cmake'))
    expect(screen.getByTestId('export-about-text-cmake').textContent).toContain(
      'cmake is not installed',
    )
  })

  it('wheels for the torch of other Pythons can be asked for, as long as they are proven', async () => {
    main.give('export.forms', [...choices, choiceOf('setuptools')])
    giveReport(reportOf('setuptools', [calls]))
    await openExport({ exports: ['setuptools', 'library'] })
    const field = await screen.findByTestId('export-pythons')
    await userEvent.type(field, '/envs/a/bin/python, python3.12{Enter}')
    expect(exportCommandLine()).toContain('--python /envs/a/bin/python,python3.12')
    await exportNow()
    await waitFor(() => expect(main.asked('export.run')).toHaveLength(1))
    expect(main.asked('export.run')[0]?.request).toMatchObject({
      forms: ['setuptools', 'library'],
      pythons: ['/envs/a/bin/python', 'python3.12'],
    })
    await userEvent.click(screen.getByTestId('export-proof'))
    expect(screen.queryByTestId('export-pythons')).toBeNull()
    expect(exportCommandLine()).not.toContain('--python')
    await userEvent.click(screen.getByTestId('export-proof'))
    await userEvent.click(screen.getByTestId('export-choose-setuptools'))
    expect(screen.queryByTestId('export-pythons')).toBeNull()
  })

  it('workers build the wheels elsewhere, and show them with their node as they come', async () => {
    givePlaces()
    main.give('export.forms', [...choices, choiceOf('setuptools')])
    main.give('runs.list', [])
    const run = main.hold('runs.follow')
    giveReport(reportOf('setuptools', []))
    await openExport({ exports: ['setuptools'] })
    await userEvent.type(await screen.findByTestId('export-pythons'), 'python3.12{Enter}')
    await screen.findByText('slurm')
    await chooseSlurm('export-wheels')
    expect(exportCommandLine()).toMatch(/--python python3\.12 --over slurm --jobs 3$/)
    await exportNow()
    const { job } = await run.asked
    // It is written here, and proven there.
    expect(main.asked('export.run')[0]?.request).toMatchObject({ proof: false, pythons: [] })
    expect(main.asked('runs.start')[0]).toMatchObject({
      work: { verb: 'export', form: 'setuptools', pythons: ['python3.12'] },
      over: 'slurm',
      jobs: 3,
    })
    const made = { ...reportOf('setuptools', [calls]), products: ['dist/torch-2.12.0/my_op.whl'] }
    const wheel = { node: 'node7', name: 'wheel for torch 2.12.0', report: made }
    sendResults(job, { wheels: [wheel] }, { done: 1 })
    const shown = await screen.findByTestId('export-wheel')
    expect(shown.textContent).toContain('wheel for torch 2.12.0')
    expect(shown.textContent).toContain('node7')
    expect(within(shown).getByTestId('export-product').textContent).toContain('my_op.whl')
    main.give('runs.list', [runStateOf({ phase: 'done', done: 3, openJobs: 0 })])
    await act(async () => {
      run.succeed(followedOf({ wheels: [wheel] }, {}))
      await Promise.resolve()
    })
    await screen.findByText('The run is done.')
    await userEvent.click(screen.getByTestId('export-wheels-run-back'))
    expect(screen.queryByTestId('export-wheel')).toBeNull()
  })

  it('the forms of opsmith.json are chosen', async () => {
    await openExport({ exports: ['cmake'] })
    expect(screen.getByTestId('export-choose-library')).toHaveProperty('checked', false)
    expect(screen.getByTestId('export-choose-cmake')).toHaveProperty('checked', true)
    await userEvent.click(screen.getByTestId('export-choose-cmake'))
    expect(screen.getByTestId('export-run')).toHaveProperty('disabled', true)
  })

  it('the forms are looked at when the panel is, and after a build, not while it runs', async () => {
    await openExport()
    const before = main.asked('export.forms').length
    const builds = main.hold('operator.build')
    act(() => void requestBuild('asked'))
    await builds.asked
    saveSource()
    expect(main.asked('export.forms')).toHaveLength(before)
    await act(async () => {
      builds.succeed({ build: buildOf(), load })
      await buildJob.ended()
    })
    expect(main.asked('export.forms')).toHaveLength(before + 1)
    act(() => noteVisible('export', false))
    saveSource()
    expect(main.asked('export.forms')).toHaveLength(before + 1)
    act(() => noteVisible('export', true))
    expect(main.asked('export.forms')).toHaveLength(before + 2)
  })

  it('forms that cannot be read show the reason', async () => {
    main.refuse('export.forms', { code: 'io', message: 'op.cpp cannot be read.' })
    await open()
    show('export')
    expect(await screen.findByText('op.cpp cannot be read.')).toBeTruthy()
  })

  it('a typed folder is asked for, and the field shows the answer', async () => {
    await openExport()
    const field = screen.getByTestId('export-folder')
    expect(field).toHaveProperty('value', '/projects/my_op-exports')
    main.give('export.chooseDirectory', { directory: '/elsewhere' })
    main.answer('settings.get', () => {
      return ok({ ...defaultSettings, exportFolders: { [folder]: '/elsewhere' } })
    })
    await userEvent.clear(field)
    await userEvent.type(field, '/elsewhere{Enter}')
    await waitFor(() => {
      expect(screen.getByTestId('export-folder')).toHaveProperty('value', '/elsewhere')
    })
    expect(main.asked('export.chooseDirectory')).toEqual([{ folder, typed: '/elsewhere' }])
  })
})

describe('an export at work', () => {
  it('its steps are shown as they run, and Stop shows that nothing is proven', async () => {
    const run = main.hold('export.run')
    await openExport()
    await exportNow()
    const { job, request } = await run.asked
    expect(request).toMatchObject({ forms: ['library'], proof: true })
    expect(state('library')).toBe('waiting')
    const event = { job, form: 'library', done: 0, total: 1 } as const
    act(() => {
      main.send('export.progressed', { ...event, running: '', step: stepOf('write') })
      main.send('export.progressed', { ...event, running: 'calls in Python' })
    })
    expect(state('library')).toBe('running')
    expect(steps()).toEqual(['ok', 'running'])
    expect(screen.getByTestId('export-doing').textContent).toBe('library: calls in Python')
    await userEvent.click(await screen.findByTestId('export-stop'))
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    expect(state('library')).toBe('stopped')
    expect(verdict()).toBe('stopped')
    expect(screen.getByText(/has not proven the forms/)).toBeTruthy()
    expectNone('export-error')
  })
})

describe('the result of an export', () => {
  it('a form whose steps all passed is done', async () => {
    giveReport({ ...reportOf('library', [stepOf('write'), calls]), abi })
    await openExport()
    await exportNow()
    await screen.findByTestId('export-verdict')
    expect([state('library'), verdict()]).toEqual(['done', 'done'])
    expect(screen.getByTestId('export-abi').textContent).toContain('GLIBCXX_3.4.30 or newer')
    expect(screen.getByTestId('export-abi').textContent).toContain('2.13.x, built with 2.13.0+cpu')
    expect(screen.getByText('2 files')).toBeTruthy()
  })

  it('a form whose steps were tried in part, and one that was only written, show it', async () => {
    giveReport(
      reportOf('library', [stepOf('write'), calls, untried]),
      reportOf('cmake', [stepOf('write'), untried]),
    )
    await openExport({ exports: ['library', 'cmake'] })
    await exportNow()
    await screen.findByTestId('export-verdict')
    expect([state('library'), state('cmake')]).toEqual(['partly', 'written'])
    expect(verdict()).toBe('partly')
    expect(steps()).toEqual(['ok', 'ok', 'skipped', 'ok', 'skipped'])
    const [reason] = screen.getAllByTestId('export-step-reason')
    expect(reason?.textContent).toBe('cmake is not installed')
  })

  it('what was built and tested is named', async () => {
    const wheel = 'dist/my_op-1.0-cp39-abi3-linux_x86_64.whl'
    giveReport({ ...reportOf('library', [stepOf('write'), calls]), products: [wheel] })
    await openExport()
    await exportNow()
    expect((await screen.findByTestId('export-product')).textContent).toContain(wheel)
  })

  it('the log of a step opens on a click', async () => {
    giveReport(reportOf('library', [stepOf('write'), calls]))
    await openExport()
    await exportNow()
    await screen.findByTestId('export-verdict')
    expect(screen.queryByRole('log')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: /calls in Python/ }))
    const log = screen.getByRole('log', { name: 'Log of calls in Python' })
    expect(log.textContent).toContain('$ python3 -m unittest')
  })

  it('a failed step shows its reason and its log, and where the files are left', async () => {
    const failed = stepOf('calls in Python', {
      status: 'failed',
      reason: 'python3 ended with 1',
      log: 'AssertionError: Tensor-likes are not close!',
    })
    giveReport(reportOf('library', [stepOf('write'), failed]))
    await openExport()
    await exportNow()
    await screen.findByTestId('export-verdict')
    expect([state('library'), verdict()]).toEqual(['failed', 'failed'])
    expect(screen.getByTestId('export-step-reason').textContent).toBe('python3 ended with 1')
    expect(screen.getByRole('log').textContent).toContain('not close')
    expect(screen.getByText(/The files that were written are in/)).toBeTruthy()
  })

  it('the folder of a form can be opened and the command line copied', async () => {
    giveReport(reportOf('library', [stepOf('write')]))
    main.give('export.showDirectory', {})
    const user = userEvent.setup()
    await openExport()
    await exportNow()
    await user.click(await screen.findByTestId('export-open-library'))
    expect(main.asked('export.showDirectory')).toEqual([
      { directory: '/projects/my_op-exports/library' },
    ])
    await user.click(screen.getByTestId('export-copy-command'))
    expect(await navigator.clipboard.readText()).toBe(
      `opsmith export ${folder} --as library --out /projects/my_op-exports`,
    )
  })

  it('a form that cannot be written shows why', async () => {
    giveReport({
      ...reportOf('library', []),
      ok: false,
      directory: '',
      files: [],
      error: { code: 'io', message: 'the disk is full' },
    })
    await openExport()
    await exportNow()
    expect((await screen.findByTestId('export-form-error-library')).textContent).toContain(
      'the disk is full',
    )
    expect(state('library')).toBe('failed')
  })

  it('an export that ends the op host links to the crash', async () => {
    main.refuse('export.diff', crashed)
    await openExport()
    await exportNow()
    const error = await screen.findByTestId('export-error')
    expect(within(error).getByRole('button', { name: 'Show the crash' })).toBeTruthy()
  })

  it('an export of older sources is shown as such', async () => {
    giveReport(reportOf('library', [stepOf('write')]))
    await openExport()
    await exportNow()
    await screen.findByTestId('export-verdict')
    expectNone('stale-bar')
    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toMatch(
      /Exported from older sources\.Export again/,
    )
  })
})

describe('an export over files that exist', () => {
  it('a file that was changed by hand needs a decision, which is sent', async () => {
    main.give('export.diff', [diffOf([byHand, { ...byHand, path: 'setup.py', byHand: false }])])
    giveReport(reportOf('library', [stepOf('write')]))
    await openExport()
    await exportNow()
    await screen.findByTestId('export-review')
    expect(screen.getByTestId('export-review-text').textContent).toContain('1 file changed by hand')
    expect(screen.getByTestId('export-run')).toHaveProperty('disabled', true)
    const [readme, setup] = screen.getAllByTestId('export-change')
    expect(readme?.dataset).toMatchObject({ path: 'README.md', change: 'changed' })
    expect(readme?.textContent).toContain('-Written by hand.')
    // The change of another file is folded.
    expect(setup?.textContent).not.toContain('-Written by hand.')
    expect(main.asked('export.run')).toEqual([])
    await userEvent.click(screen.getByTestId('export-keep'))
    expect(screen.getByTestId('export-keep').getAttribute('aria-pressed')).toBe('true')
    await exportNow()
    await screen.findByTestId('export-verdict')
    expect(main.asked('export.run')[0]?.request.decisions).toEqual({ 'library/README.md': 'keep' })
  })

  it('"Show changes" writes nothing and leads back', async () => {
    main.give('export.diff', [diffOf([{ ...byHand, change: 'same', byHand: false, diff: '' }])])
    await openExport()
    await userEvent.click(screen.getByTestId('export-diff'))
    await screen.findByTestId('export-review')
    expect(screen.getByText('Nothing is written yet')).toBeTruthy()
    expect(screen.getByText('1 file checked: nothing would change.')).toBeTruthy()
    await userEvent.click(screen.getByTestId('export-review-leave'))
    expectNone('export-review')
    expect(main.asked('export.run')).toEqual([])
  })
})
