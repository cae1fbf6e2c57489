import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { errorCodes } from '../../electron/contract/error-codes'
import { operatorCheckNames } from '../../electron/contract/operator-checks.generated'
import { lints } from '../../electron/engine/language/lints/all-lints'
import * as pages from '../../renderer/features/help/pages'
import { placeOfLink } from '../../renderer/features/help/links'
import { Notifications } from '../../renderer/shell/Notifications'
import { ErrorView } from '../../renderer/shell/primitives/ErrorView'
import { headingAnchor } from '../../renderer/shell/primitives/heading-anchor'
import { runCommand } from '../../renderer/store/commands'
import { panelFeatures } from '../../renderer/store/feature'
import { layoutStore, type Dock } from '../../renderer/store/layout'
import { notifyError } from '../../renderer/store/notifications'
import { buildOf, diagnosticOf } from './support/answers'
import { build, open, show } from './support/window'

const guide = async (): Promise<HTMLElement> => await screen.findByTestId('help-guide')

/** Waits until this page is shown, and the keyboard is at this heading: it goes there once the page is drawn. */
async function expectPlace(place: string): Promise<void> {
  await waitFor(() => {
    const { page = '' } = screen.getByTestId('help-guide').dataset
    const { anchor } = (document.activeElement as HTMLElement).dataset
    expect(anchor === undefined ? page : `${page}#${anchor}`).toBe(place)
  })
}

const anchorsOf = (page: string): string[] =>
  [...(pages.guidePage(page)?.text ?? '').matchAll(/^#{1,4} (.+)$/gm)].map(([, heading = '']) =>
    headingAnchor(heading.replaceAll('`', '')),
  )

describe('the pages', () => {
  it('every panel has a page of its own', () => {
    for (const { id } of panelFeatures()) expect(pages.guidePage(`how-to/${id}`), id).toBeDefined()
  })

  it.each([
    ['lint', 'reference/lints', lints.map(({ code }) => code)],
    ['operator check', 'reference/operator-checks', operatorCheckNames],
    ['error', 'reference/errors', Object.keys(errorCodes)],
  ])('every %s has a heading that its messages lead to', (_kind, page, codes) => {
    expect(anchorsOf(page)).toEqual(expect.arrayContaining(codes.map(headingAnchor)))
  })

  it('a link is followed from the page that has it', () => {
    expect(placeOfLink('how-to/run', 'gradcheck.md')).toBe('how-to/gradcheck')
    expect(placeOfLink('how-to/run', '../reference/lints.md#a')).toBe('reference/lints#a')
    expect(placeOfLink('how-to/run', '#inputs')).toBe('how-to/run#inputs')
    expect(placeOfLink('how-to/run', 'https://example.org/a.md')).toBeNull()
    expect(placeOfLink('how-to/run', '../pictures/run.png')).toBeNull()
  })
})

describe('help', () => {
  afterEach(() => act(() => layoutStore.setState({ dock: null })))

  it('the ? of a panel opens its page, without the network', async () => {
    show('help')
    act(() => runCommand('help.panel', 'gradcheck'))
    await expectPlace('how-to/gradcheck')
    const row = screen.getByTestId('help-page-how-to/gradcheck')
    expect(row.getAttribute('aria-current')).toBe('page')
    expect(within(await guide()).getAllByRole('heading')[0]?.textContent).toMatch(/gradients?/i)
  })

  it.each([
    ['Shift+F1', '{Shift>}{F1}{/Shift}'],
    ['?', '?'],
  ])(
    'the key %s opens the page of the active panel, but “?” is text in a field',
    async (key, keys) => {
      const showTool = vi.fn()
      const dock = { activeTool: () => 'timings', activeFile: () => null, showTool }
      act(() => layoutStore.setState({ dock: dock as unknown as Dock }))
      show('help')
      await userEvent.keyboard(keys)
      expect((await guide()).dataset['page']).toBe('how-to/timings')
      expect(showTool).toHaveBeenCalledWith('help', true)
      if (key !== '?') return
      dock.activeTool = () => 'run'
      const field = screen.getByTestId('help-search-pages')
      await userEvent.type(field, '?')
      expect(field).toHaveProperty('value', '?')
      expect((await guide()).dataset['page']).toBe('how-to/timings')
    },
  )

  it('a link leads to another page, and Back returns', async () => {
    show('help')
    act(() => runCommand('help.guides', 'how-to/settings'))
    const link = within(await guide()).getByRole('button', { name: 'The reference' })
    await userEvent.click(link)
    await expectPlace('reference/settings')
    await userEvent.click(screen.getByRole('button', { name: 'Back to the previous page' }))
    await expectPlace('how-to/settings')
  })

  it('a search lists the pages that have all words, and says where there is none', async () => {
    show('help')
    act(() => runCommand('help.guides', ''))
    await guide()
    const field = screen.getByRole('searchbox', { name: 'Search pages' })
    await userEvent.type(field, 'heat map')
    expect(screen.getByTestId('help-page-how-to/run')).toBeTruthy()
    expect(screen.queryByTestId('help-page-how-to/terminal')).toBeNull()
    await userEvent.clear(field)
    await userEvent.type(field, 'nosuchword')
    expect(screen.getByText('No page contains “nosuchword”.')).toBeTruthy()
  })
})

describe('messages', () => {
  it('an error leads to its code', async () => {
    show('help')
    render(<ErrorView error={{ code: 'host.crashed', message: 'It crashed.' }} />)
    await userEvent.click(screen.getByRole('button', { name: 'About this error' }))
    await expectPlace('reference/errors#hostcrashed')
    expect(layoutStore.getState().page).toBe('help')
  })

  it('a notification of an error does, too', async () => {
    show('help')
    render(<Notifications />)
    act(() => notifyError({ code: 'io', message: 'The disk is full.' }))
    await userEvent.click(screen.getByRole('button', { name: 'About this error' }))
    await expectPlace('reference/errors#io')
  })

  it.each([
    ['lint', 'opsmith-from-blob', 'reference/lints'],
    ['operator check', 'mutation', 'reference/operator-checks'],
  ])('a problem of a %s leads to its entry', async (source, code, page) => {
    await open()
    await build({ build: buildOf({ ok: true, diagnostics: [diagnosticOf({ source, code })] }) })
    show('problems')
    await userEvent.click(screen.getByTestId('problem-more'))
    const link = screen.getByRole('button', { name: `About ${code}` })
    show('help')
    await userEvent.click(link)
    await expectPlace(`${page}#${code}`)
  })
})
