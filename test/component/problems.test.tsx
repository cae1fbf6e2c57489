import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'

import { filesStore } from '../../renderer/store/files'
import { layoutStore, type Dock } from '../../renderer/store/layout'
import { outcomeOf, findingOf, reportOf } from '../unit/gradcheck-samples'
import { buildOf, diagnosticOf, folder, load } from './support/answers'
import { build, main, open, saveSource, show } from './support/window'

const rows = (): HTMLElement[] => screen.queryAllByTestId('problem-row')
const texts = (): (string | null)[] => rows().map((row) => row.textContent)

describe('the problems panel', () => {
  it('a project that was never built has no list', async () => {
    await open()
    show('problems')
    expect(screen.getByText('Nothing was built yet.')).toBeTruthy()
  })

  it('a good build has no problems', async () => {
    await open()
    await build()
    show('problems')
    expect(screen.getByText('No problems in the last build.')).toBeTruthy()
  })

  it('a build that fails shows its first error first, by file', async () => {
    await open()
    await build({
      build: buildOf({
        ok: false,
        diagnostics: [
          diagnosticOf({}),
          diagnosticOf({
            line: 3,
            severity: 'warning',
            message: 'unused variable',
            code: '-Wunused',
          }),
          diagnosticOf({
            file: '',
            line: 0,
            column: 0,
            message: 'undefined symbol: g',
            source: 'lld',
          }),
        ],
      }),
    })
    show('problems')
    const [first, second] = rows()
    expect(first?.dataset['severity']).toBe('error')
    expect(first?.textContent).toMatch(/use of undeclared identifier y.*clang.*7:3/)
    expect(second?.textContent).toContain('-Wunused')
    const file = screen.getByRole('group', { name: `${folder}/op.cpp` })
    expect(file.textContent).toMatch(/^op\.cpp2/)
    const none = screen.getByRole('group', { name: 'No file' })
    expect(within(none).getByText('undefined symbol: g')).toBeTruthy()
  })

  it('an explained error shows its meaning, its fixes and the text of the compiler on demand', async () => {
    await open()
    const fix = {
      title: 'Change float to double',
      edits: [
        { file: `${folder}/op.cpp`, line: 7, column: 1, endLine: 7, endColumn: 6, text: 'double' },
      ],
    }
    await build({
      build: buildOf({
        ok: false,
        diagnostics: [
          diagnosticOf({
            message: 'An operator cannot take float: use double.',
            explanation: "A schema's **float** is a `double`.\n\n```\ndouble factor\n```",
            raw: 'op.cpp:7:3: error: static assertion failed',
            fixes: [fix],
            notes: [
              { severity: 'note', file: `${folder}/op.cpp`, line: 2, column: 1, message: 'here' },
            ],
          }),
        ],
      }),
    })
    show('problems')
    const [row] = rows()
    if (!row) throw new Error('no row')
    expect(within(row).getByRole('button', { name: 'Change float to double' })).toBeTruthy()
    expect(screen.queryByTestId('markdown')).toBeNull()
    await userEvent.click(within(row).getByTestId('problem-more'))
    const explanation = within(row).getByTestId('markdown')
    expect(explanation.querySelector('strong')?.textContent).toBe('float')
    expect(explanation.querySelector('pre')?.textContent).toContain('double factor')
    expect(within(row).getByText('Message of the compiler')).toBeTruthy()
    expect(within(row).getByText(/static assertion failed/)).toBeTruthy()
    expect(within(row).getByText('Notes of the compiler (1)')).toBeTruthy()
    expect(within(row).getByTestId('problem-fix').textContent).toContain('Change float to double')
    await userEvent.click(within(row).getByTestId('problem-more'))
    expect(screen.queryByTestId('markdown')).toBeNull()
  })

  it('HTML in an explanation is shown as text', async () => {
    await open()
    await build({
      build: buildOf({ diagnostics: [diagnosticOf({ explanation: 'a <img src=x onerror=y> b' })] }),
    })
    show('problems')
    await userEvent.click(screen.getByTestId('problem-more'))
    expect(screen.getByTestId('markdown').querySelector('img')).toBeNull()
    expect(screen.getByTestId('markdown').textContent).toContain('<img src=x onerror=y>')
  })

  it('a build that cannot be made shows the error of opsmith.json', async () => {
    await open()
    main.refuse('operator.build', {
      code: 'project.invalid',
      message: 'sources: expected at least one source file or glob',
      path: 'sources',
      hint: 'Name a source.',
    })
    await act(async () => {
      const { requestBuild } = await import('../../renderer/store/loop')
      await requestBuild('asked')
    })
    show('problems')
    expect(texts()[0]).toContain('expected at least one source')
    await userEvent.click(screen.getByTestId('problem-more'))
    expect(screen.getByText('Name a source.')).toBeTruthy()
  })

  it('a library that does not load is a problem', async () => {
    await open()
    const loadError = { code: 'library.load', message: 'ops::f is defined twice.' } as const
    await build({ build: buildOf(), loadError })
    show('problems')
    expect(texts()[0]).toContain('ops::f is defined twice.')
  })

  it('a gradcheck that fails against expectation is a problem', async () => {
    const failed = reportOf([
      findingOf({ status: 'failed', cause: 'The gradient is 2 times too large.' }),
    ])
    main.give('gradcheck.runAll', [outcomeOf(0, failed)])
    await open({ gradchecks: [{ op: 'my_op::f', args: ['x'] }] })
    await build({ build: buildOf(), load })
    show('problems')
    expect(await screen.findByText(/2 times too large/)).toBeTruthy()
  })

  it('problems of older sources are shown as such', async () => {
    await open()
    await build({ build: buildOf({ ok: false, diagnostics: [diagnosticOf({})] }) })
    show('problems')
    expect(screen.queryByTestId('stale-bar')).toBeNull()
    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
  })

  it('is walked by keys: arrows, notes to the right and left, Enter goes to the place', async () => {
    const showFile = vi.fn(() => 'file:op.cpp')
    act(() => layoutStore.setState({ dock: { showFile } as unknown as Dock }))
    await open()
    const noted = diagnosticOf({ line: 3, explanation: 'Because it is so.' })
    const other = diagnosticOf({ line: 9, message: 'unused variable' })
    await build({ build: buildOf({ ok: false, diagnostics: [noted, other] }) })
    show('problems')
    const [first, second] = rows()
    await userEvent.tab()
    expect(document.activeElement).toBe(first)
    await userEvent.keyboard('{ArrowRight}')
    expect(first?.getAttribute('aria-expanded')).toBe('true')
    expect(screen.getByText('Because it is so.')).toBeTruthy()
    await userEvent.keyboard('{ArrowLeft}')
    expect(first?.getAttribute('aria-expanded')).toBe('false')
    await userEvent.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(second)
    expect(second?.hasAttribute('aria-expanded')).toBe(false)
    await userEvent.keyboard('{Enter}')
    expect(showFile).toHaveBeenCalledExactlyOnceWith('op.cpp', true)
    expect(filesStore.getState().reveal).toMatchObject({ line: 9, focus: true })
    await userEvent.keyboard('{Home}')
    expect(document.activeElement).toBe(first)
    act(() => layoutStore.setState({ dock: null }))
  })
})
