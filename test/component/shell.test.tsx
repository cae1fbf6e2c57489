import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { forgetLayout, nameLayout, saveLayoutsNow } from '../../renderer/shell/layouts'
import { Notifications } from '../../renderer/shell/Notifications'
import { Palette } from '../../renderer/shell/Palette'
import { Rail } from '../../renderer/shell/Rail'
import { StatusBar } from '../../renderer/shell/StatusBar'
import { Toolbar } from '../../renderer/shell/Toolbar'
import { commandStore, runCommand } from '../../renderer/store/commands'
import { panelFeatures } from '../../renderer/store/feature'
import { filesStore } from '../../renderer/store/files'
import { layoutStore, type Dock } from '../../renderer/store/layout'
import { notificationStore, notify, notifyError } from '../../renderer/store/notifications'
import { runDoctor } from '../../renderer/store/doctor'
import { crash, doctorOf } from './support/answers'
import { expectNone, main, open, show } from './support/window'

function ready(generation: number): Parameters<typeof main.send<'host.changed'>>[1] {
  return { generation, state: 'ready', libtorch: '2.13.0', pid: 100 }
}

describe('the status bar', () => {
  it('only the crash is alarming, not the op host that is ready', async () => {
    await open()
    render(<StatusBar />)
    act(() => {
      main.send('host.changed', { ...ready(2), lastExit: crash })
    })
    const item = screen.getByTestId('status-host')
    expect(item.dataset['state']).toBe('ready')
    const alarm = screen.getByTestId('status-crash')
    expect(alarm.textContent.trim()).toBe('host 1 crashed')
    expect(alarm.contains(within(item).getByText('host 2 ready'))).toBe(false)
  })

  it('an op host is named only once one was started', async () => {
    await open()
    render(<StatusBar />)
    act(() => {
      main.send('host.changed', { generation: 0, state: 'ended', libtorch: '', pid: 0 })
    })
    expect(screen.queryByTestId('status-host')).toBeNull()
    act(() => {
      main.send('host.changed', ready(1))
    })
    expect(screen.getByTestId('status-host').textContent).toContain('host 1 ready')
  })
})

describe('work that takes less than 0.3 s', () => {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('changes neither the status bar nor Stop, and longer work does', async () => {
    await open()
    render(
      <>
        <Toolbar />
        <StatusBar />
      </>,
    )
    act(() => {
      main.send('host.changed', ready(1))
    })
    const building = main.hold('operator.build')
    const stop = (): HTMLButtonElement => screen.getByTestId('toolbar-stop')
    const build = screen.getByTestId('status-build')
    const host = screen.getByTestId('status-host')
    act(() => {
      runCommand('build.run')
      main.send('host.changed', { ...ready(1), state: 'busy' })
    })
    await building.asked
    expect([stop().disabled, build.textContent]).toEqual([true, 'not built'])
    expect(host.textContent).toContain('ready')
    // What is true is there for whoever waits for it.
    expect([stop().dataset['busy'], build.dataset['state']]).toEqual(['true', 'building'])
    await waitFor(() => {
      expect(build.textContent).toContain('building')
    })
    expect(stop().disabled).toBe(false)
    expect(host.textContent).toContain('busy')
    await userEvent.click(stop())
    expect(build.textContent).toBe('build stopped')
    await waitFor(() => {
      expect(stop().disabled).toBe(true)
    })
    act(() => {
      runCommand('build.run')
    })
    await waitFor(() => {
      expect(build.dataset['state']).toBe('building')
    })
    expect(build.textContent).toBe('build stopped')
  })
})

describe('messages', () => {
  it('a problem leaves after a while, and can be shown again until it is dismissed', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      notificationStore.setState(notificationStore.getInitialState(), true)
      render(
        <>
          <Notifications />
          <StatusBar />
        </>,
      )
      act(() => {
        notify('info', 'The call was kept.')
        notifyError({ code: 'io', message: 'The disk is full.' })
        notify('warning', 'Saved in part.', { action: { label: 'Save all', run: () => undefined } })
      })
      act(() => void vi.advanceTimersByTime(21_000))
      // What asks for an action stays; good news is forgotten.
      expect(screen.getAllByTestId('notification').map((item) => item.textContent)).toEqual([
        'Saved in part.Save all',
      ])
      expect(screen.getByTestId('status-earlier').textContent.trim()).toBe('1 message')
      act(() => screen.getByTestId('status-earlier').click())
      act(() => void vi.advanceTimersByTime(60_000))
      expect(screen.getByText('The disk is full.')).toBeTruthy()
      expectNone('status-earlier')
      act(() => screen.getAllByRole('button', { name: 'Dismiss' })[0]?.click())
      expect(screen.queryByText('The disk is full.')).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })
})

function paletteEntries(): string[] {
  const ids = screen.getAllByRole('option').map((option) => option.dataset['testid'] ?? '')
  // The others are files.
  return ids.filter((id) => id.startsWith('palette-'))
}

async function choose(command: string): Promise<void> {
  act(() => runCommand('go.command'))
  await userEvent.click(await screen.findByTestId(`palette-${command}`))
}

describe('the palette', () => {
  it('what was used lately comes first, and each command is there once', async () => {
    commandStore.setState({ recent: [] })
    await open()
    render(<Palette />)
    await choose('view.larger')
    await choose('build.onSave')
    act(() => runCommand('go.command'))
    const entries = paletteEntries()
    expect(entries.slice(0, 2)).toEqual(['palette-build.onSave', 'palette-view.larger'])
    expect(new Set(entries).size).toBe(entries.length)
    const words = screen.getAllByRole('option').map((option) => option.textContent)
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([])
    // A row names its group once.
    expect(words.filter((text) => /^(.+)\1: /.test(text))).toEqual([])
    act(() => layoutStore.setState({ palette: 'closed' }))
  })

  it('"Go to file" opens the chosen file, be it hidden or in a deep folder', async () => {
    const deep = 'a/b/c/d/e/f/g/deep.h'
    main.give('folder.files', ['op.cpp', '.github/ci.yml', deep])
    await open()
    expect(main.asked('folder.files')).toEqual([])
    render(<Palette />)
    for (const [typed, path] of [
      ['op.cp', 'op.cpp'],
      ['ci.y', '.github/ci.yml'],
      ['deep.h', deep],
    ] as const) {
      filesStore.setState({ reveal: null })
      act(() => runCommand('go.file'))
      await screen.findByRole('option', { name: deep })
      // A file that is listed twice would be two rows.
      expect(screen.getAllByRole('option', { name: /^op\.cpp/ })).toHaveLength(1)
      await userEvent.type(screen.getByTestId('palette-input'), `${typed}{Enter}`)
      await waitFor(() => expect(filesStore.getState().reveal?.path).toBe(path))
    }
  })

  it('the files that were read with the project are offered before the others are known', async () => {
    const listing = main.hold('folder.files')
    await open()
    render(<Palette />)
    act(() => runCommand('go.file'))
    expect(await screen.findByRole('option', { name: /^op\.cpp/ })).toBeTruthy()
    await listing.asked
    act(() => layoutStore.setState({ palette: 'closed' }))
  })

  it('a layout that was named is there by its name until it is forgotten', async () => {
    main.give('layout.set', {})
    await open()
    const applied: unknown[] = []
    const apply = (layout: unknown): boolean => applied.push(layout) > 0
    act(() => {
      layoutStore.setState({
        dock: { apply, activeFile: () => null, activeTool: () => null } as unknown as Dock,
      })
      nameLayout('graph in the centre', { grid: 1 })
    })
    render(<Palette />)
    act(() => runCommand('go.command'))
    const row = await screen.findByTestId('palette-layout.named.graph in the centre')
    expect(row.textContent).toBe('Layoutgraph in the centre')
    await userEvent.click(row)
    await waitFor(() => expect(applied).toEqual([{ grid: 1 }]))
    act(() => {
      forgetLayout('graph in the centre')
      layoutStore.setState({ dock: null })
      runCommand('go.command')
    })
    await waitFor(paletteEntries)
    expectNone('palette-layout.named.graph in the centre')
    act(() => layoutStore.setState({ palette: 'closed' }))
    await saveLayoutsNow()
  })

  it('without a project it offers what needs none', async () => {
    render(<Palette />)
    act(() => runCommand('go.command'))
    const entries = await waitFor(paletteEntries)
    for (const id of ['project.open', 'view.settings', 'view.help', 'help.about', 'view.doctor']) {
      expect(entries).toContain(`palette-${id}`)
    }
    expect(entries).not.toContain('palette-build.run')
    act(() => layoutStore.setState({ palette: 'closed' }))
  })
})

describe('the rail', () => {
  it('has every panel, those at the bottom in a group of their own', async () => {
    await open()
    render(<Rail />)
    for (const { id } of panelFeatures()) expect(screen.getByTestId(`rail-${id}`)).toBeTruthy()
    const bottom = within(screen.getByRole('group', { name: 'Panels at the bottom' }))
    expect(bottom.getAllByRole('button').map((button) => button.textContent)).toEqual([
      'Problems',
      'Build',
      'Host output',
      'Terminal',
    ])
    expect(bottom.getByTestId('rail-problems').title).toBe('Problems (Ctrl+4)')
  })
})

describe('settings and help without a project', () => {
  it('the menu leads to them', async () => {
    render(<Toolbar />)
    await userEvent.click(screen.getByTestId('toolbar-project'))
    await userEvent.click(screen.getByRole('menuitem', { name: /Settings/ }))
    expect(layoutStore.getState().page).toBe('settings')
    await userEvent.click(screen.getByTestId('toolbar-project'))
    await userEvent.click(screen.getByRole('menuitem', { name: /Help/ }))
    expect(layoutStore.getState().page).toBe('help')
  })
})

describe('help', () => {
  it('says what each panel is for, with its keys and the way to its page', async () => {
    show('help')
    act(() => runCommand('help.panel', 'help'))
    await userEvent.click(screen.getByTestId('help-panels'))
    const section = screen.getByTestId('help-on-gradcheck')
    expect(section.textContent).toContain('finite differences')
    expect(section.textContent).toContain('Shift+F9')
    await userEvent.click(within(section).getByRole('button', { name: 'Guide' }))
    expect((await screen.findByTestId('help-guide')).dataset['page']).toBe('how-to/gradcheck')
  })

  it('lists every command that has a key', async () => {
    show('help')
    act(() => runCommand('help.keys'))
    const keyed = commandStore.getState().commands.filter(({ shortcut }) => shortcut !== undefined)
    expect(keyed.length).toBeGreaterThan(20)
    expect(screen.getAllByTestId('help-key')).toHaveLength(keyed.length)
    expect(screen.getByText('Ctrl+Shift+P or F1')).toBeTruthy()
    await userEvent.type(screen.getByTestId('help-search'), 'rename')
    expect(screen.getAllByTestId('help-key').map((row) => row.textContent)).toEqual([
      'F2Rename in all files …',
    ])
  })

  it('shows the versions', async () => {
    main.give('app.info', {
      version: '1.2.3',
      electron: '99.0.0',
      platform: 'linux x64',
      startFolder: '',
      startModel: '',
      tests: true,
    })
    main.give('doctor.report', doctorOf('absent'))
    show('help')
    act(() => runCommand('help.about'))
    expect(await screen.findByText('1.2.3')).toBeTruthy()
    expect(screen.getByTestId('help-versions').textContent).toContain('Platformlinux x64')
    expect(await screen.findByText('none')).toBeTruthy()
    expect(screen.queryByTestId('help-electron')).toBe(null)
  })

  it('says in About and the status bar that Electron is older than the one that is named', async () => {
    const electron = {
      kind: 'electron' as const,
      name: 'Electron 25.1.1',
      path: '/electron',
      version: '25.1.1',
      judgement: 'warning' as const,
      why: 'Opsmith is made for Electron 45.4.1',
      remedy: 'npm run setup',
      chosen: true,
      facts: [],
    }
    main.give('app.info', {
      version: '1.2.3',
      electron: '25.1.1',
      platform: 'linux x64',
      startFolder: '',
      startModel: '',
      tests: true,
    })
    const report = doctorOf('absent')
    main.give('doctor.report', { ...report, findings: [...report.findings, electron] })
    show('help')
    act(() => runCommand('help.about'))
    await act(() => runDoctor())
    expect((await screen.findByTestId('help-electron')).textContent).toContain('45.4.1')
    render(<StatusBar />)
    expect(screen.getByTestId('status-electron').textContent).toContain('Electron 25.1.1')
  })
})
