import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'

import type { ListedFolder } from '../../electron/contract/file-calls'
import { err, ok } from '../../electron/contract/outcome'
import { commandStore, runCommand } from '../../renderer/store/commands'
import { filesStore } from '../../renderer/store/files'
import { notificationStore } from '../../renderer/store/notifications'
import { folder } from './support/answers'
import { main, open, show } from './support/window'

const names = ['opsmith.json', 'op.cpp', 'op.h', 'kernel.cu', 'program.py', 'model.pt', 'a', 'b']

function listingOf(files: readonly string[]): ListedFolder {
  const entries = files.map((name) => ({ name, kind: 'file' as const }))
  return { path: '', entries, isCut: false }
}

const row = (name: string): Promise<HTMLElement> => screen.findByTestId(`explorer-file-${name}`)

function cursorAt(line: number, column: number): void {
  act(() => filesStore.setState({ active: { path: 'op.cpp', line, column } }))
}

async function choose(name: string, action: string): Promise<void> {
  await userEvent.pointer({ keys: '[MouseRight]', target: await row(name) })
  await userEvent.click(await screen.findByTestId(`explorer-menu-${action}`))
}

beforeEach(async () => {
  main.give('folder.list', [listingOf(names)])
  main.give('project.samples', [])
  await open()
  show('explorer')
})

describe('the menu of a file', () => {
  it('shows the file in the file manager', async () => {
    main.give('file.reveal', {})
    await choose('op.cpp', 'reveal')
    expect(main.asked('file.reveal')).toEqual([{ folder, path: 'op.cpp' }])
  })

  it('copies the path from the root of the disk, or from the project', async () => {
    await choose('op.cpp', 'copyPath')
    expect(await navigator.clipboard.readText()).toBe(`${folder}/op.cpp`)
    await choose('op.h', 'copyRelativePath')
    expect(await navigator.clipboard.readText()).toBe('op.h')
  })

  it('duplicates the file, and leads to the copy', async () => {
    main.answer('file.duplicate', () => {
      main.give('folder.list', [listingOf([...names, 'op copy.cpp'])])
      return ok({ path: 'op copy.cpp' })
    })
    await choose('op.cpp', 'duplicate')
    expect((await row('op copy.cpp')).getAttribute('aria-selected')).toBe('true')
    expect(main.asked('file.duplicate')).toEqual([{ folder, path: 'op.cpp' }])
  })

  it.each([
    ['vscode', 'open-in-vscode'],
    ['system', 'open-in-system'],
  ] as const)(
    'opens it in another editor (%s), at the line of the cursor',
    async (kind, action) => {
      main.give('file.openElsewhere', { name: 'VSCodium' })
      cursorAt(7, 3)
      await choose('op.cpp', action)
      await choose('op.h', action)
      expect(main.asked('file.openElsewhere')).toEqual([
        { folder, path: 'op.cpp', line: 7, column: 3, kind },
        { folder, path: 'op.h', line: 1, column: 1, kind },
      ])
    },
  )
})

describe('the commands that open another editor', () => {
  const isOffered = (id: string): boolean | undefined =>
    commandStore
      .getState()
      .commands.find((one) => one.id === id)
      ?.enabled?.()

  it('take the file and the line of the cursor, and are offered where there is one', async () => {
    main.give('file.openElsewhere', { name: 'VSCodium' })
    act(() => filesStore.setState({ active: null }))
    expect(isOffered('otherEditors.vscode')).toBe(false)
    cursorAt(12, 5)
    expect(isOffered('otherEditors.vscode')).toBe(true)
    runCommand('otherEditors.vscode')
    runCommand('otherEditors.system')
    const place = { folder, path: 'op.cpp', line: 12, column: 5 }
    await waitFor(() =>
      expect(main.asked('file.openElsewhere')).toEqual([
        { ...place, kind: 'vscode' },
        { ...place, kind: 'system' },
      ]),
    )
  })

  it('show why no editor opened', async () => {
    main.answer('file.openElsewhere', () =>
      err('toolchain.missing', 'Opsmith could not find the command of VS Code (code) on PATH.'),
    )
    cursorAt(1, 1)
    runCommand('otherEditors.vscode')
    await waitFor(() =>
      expect(JSON.stringify(notificationStore.getState())).toContain(
        'Opsmith could not find the command of VS Code (code) on PATH.',
      ),
    )
  })
})

describe('a row', () => {
  it('has the icon of its kind of file', async () => {
    const drawings = await Promise.all(
      names.map(async (name) => (await row(name)).querySelector('svg path')?.getAttribute('d')),
    )
    const [first, second] = drawings.splice(-2)
    // Files without a known ending share one; every other kind has its own.
    expect(first).toBe(second)
    expect(new Set([...drawings, first]).size).toBe(names.length - 1)
  })

  it('of a model asks for its graph on a click, and opens no editor', async () => {
    main.answer('graph.openFile', () => err('io', 'The file cannot be read.'))
    await userEvent.click(await row('model.pt'))
    await waitFor(() =>
      expect(main.asked('graph.openFile')).toEqual([{ folder, path: 'model.pt' }]),
    )
    expect(filesStore.getState().files['model.pt']).toBeUndefined()
  })

  it('of a file that was added to git has the letter A', async () => {
    main.give('git.status', {
      branch: 'main',
      commit: '1',
      files: [{ path: 'op.h', state: 'added' }],
    })
    main.send('file.changed', { folder, path: 'op.h', version: '2' })
    const added = within(await row('op.h'))
    expect(await added.findByText('A')).toBeTruthy()
    expect(added.getByText('added')).toBeTruthy()
    expect(within(await row('op.cpp')).queryByText('A')).toBeNull()
  })
})
