import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'

import { err, ok } from '../../electron/contract/outcome'
import type { Connection } from '../../electron/contract/remote-calls'
import { ConnectDialog } from '../../renderer/shell/Connect'
import { NewProjectDialog } from '../../renderer/shell/NewProject'
import { ConnectionBar } from '../../renderer/shell/ConnectionBar'
import { projectStore } from '../../renderer/store/project'
import {
  askForMachine,
  listenToConnection,
  openRemoteProject,
  remoteStore,
} from '../../renderer/store/remote'
import { openInWindow } from '../support/open-in-window'
import { main } from './support/window'

const events: string[] = []
let isListening = false

const open: Connection = {
  target: 'ssh:gpu',
  folder: '/there/op',
  state: 'open',
  message: '',
  hint: '',
  detail: '',
  engine: 0,
  isKept: false,
  retryAt: 0,
}
const lost: Connection = {
  ...open,
  state: 'lost',
  message: 'The connection to the target ssh:gpu was lost.',
}

beforeEach(() => {
  // The stores listen once.
  if (!isListening)
    listenToConnection({
      lost: () => events.push('lost'),
      reconnected: () => events.push('reconnected'),
    })
  isListening = true
  events.length = 0
  remoteStore.setState(remoteStore.getInitialState(), true)
  main.give('remote.stop', {})
  main.answer('remote.folders', ({ path }) =>
    ok({
      folder: `/home/me/${path}`,
      isProject: false,
      folders: [
        { name: 'my_op', isProject: true },
        { name: 'more', isProject: false },
        { name: 'other', isProject: false },
      ],
      isCut: false,
    }),
  )
  main.give('remote.targets', [
    { name: 'box', kind: 'settings', detail: 'docker exec -i box', folders: [] },
    { name: 'ssh:gpu', kind: 'ssh', detail: 'a host', folders: ['/there/op', '/there/other'] },
  ])
})

describe('Connect to …', () => {
  it('a machine of the list brings its last project, and both are sent to main', async () => {
    main.answer('project.open', () => err('project.missing', 'There is no opsmith.json.'))
    render(<ConnectDialog />)
    await act(() => askForMachine())
    await userEvent.click(screen.getByTestId('connect-machine-ssh:gpu'))
    const folder: HTMLInputElement = screen.getByTestId('connect-folder')
    expect(folder.value).toBe('/there/op')
    await userEvent.click(screen.getByTestId('connect-open'))
    await screen.findByTestId('connect-error')
    expect(main.asked('project.open')).toEqual([{ folder: '/there/op', target: 'ssh:gpu' }])
    // Nothing is proposed for a folder of this machine.
    expect(screen.getByTestId('connect-error').textContent).toContain(
      'opsmith --on ssh:gpu init FOLDER',
    )
    expect(projectStore.getState().project).toBeNull()
  })

  it('shows what is printed while it connects; Stop leaves the dialog without an error', async () => {
    const opening = main.hold('project.open')
    main.answer('remote.stop', () => {
      opening.last.end(err('cancelled', 'Opsmith stopped connecting.'))
      return ok({})
    })
    render(<ConnectDialog />)
    let opened: Promise<boolean> | undefined
    act(() => {
      opened = openRemoteProject({ target: 'ssh:gpu', folder: '/there/op' })
    })
    await opening.asked
    act(() => main.send('remote.progressed', { text: 'Connecting to gpu …\n' }))
    act(() => main.send('remote.progressed', { text: 'banner\n' }))
    expect(screen.getByTestId('connect-log').textContent).toBe('Connecting to gpu …\nbanner\n')
    await userEvent.click(screen.getByTestId('connect-stop'))
    await waitFor(() => expect(screen.queryByTestId('connect-stop')).toBeNull())
    expect(await opened).toBe(false)
    expect(screen.queryByTestId('connect-error')).toBeNull()
  })
})

describe('the folders of the other machine', () => {
  it('are listed as one types; a click completes the path', async () => {
    render(<ConnectDialog />)
    await act(() => askForMachine())
    await userEvent.clear(screen.getByTestId('connect-folder'))
    await screen.findByTestId('connect-folder-other')
    await userEvent.type(screen.getByTestId('connect-folder'), 'm')
    expect(screen.queryByTestId('connect-folder-other')).toBeNull()
    const listing = main.hold('remote.folders')
    await userEvent.click(screen.getByTestId('connect-folder-more'))
    const folder: HTMLInputElement = screen.getByTestId('connect-folder')
    expect(folder.value).toBe('more/')
    // The list is still that of before.
    await userEvent.click(screen.getByTestId('connect-folder-more'))
    expect(folder.value).toBe('more/')
    await listing.asked
    await act(async () => {
      const folders = [{ name: 'my_op', isProject: true }]
      listing.succeed({ folder: '/home/me/more/', isProject: false, folders, isCut: false })
      await Promise.resolve()
    })
    await screen.findByText('/home/me/more/')
    await waitFor(() =>
      expect(main.asked('remote.folders')).toEqual([
        { target: 'box', path: '' },
        { target: 'box', path: 'more/' },
      ]),
    )
    await userEvent.click(await screen.findByTestId('connect-folder-my_op'))
    expect(folder.value).toBe('more/my_op')
    // What is typed as a command is not run to list folders.
    await userEvent.clear(screen.getByTestId('connect-target'))
    await userEvent.type(screen.getByTestId('connect-target'), 'rm -rf')
    expect(screen.queryByTestId('connect-folders')).toBeNull()
    expect(main.asked('remote.folders')).toHaveLength(2)
  })

  it('a new project there begins as a template or a sample of that machine, and opens', async () => {
    const start = { title: 'CPU', description: 'An operator' }
    main.give('remote.starts', {
      starts: [
        { ...start, id: 'cpu', kind: 'template' },
        { ...start, id: 'sigmoid', title: 'sigmoid', kind: 'sample' },
      ],
      parent: '/home/me/projects',
    })
    main.give('remote.make', { folder: '/home/me/projects/sigmoid' })
    main.answer('project.open', () => err('cancelled', 'Stopped.'))
    render(
      <>
        <ConnectDialog />
        <NewProjectDialog />
      </>,
    )
    await act(() => askForMachine())
    await userEvent.click(screen.getByTestId('connect-new'))
    await userEvent.click(await screen.findByTestId('new-project-template-sample:sigmoid'))
    expect(screen.getByTestId('new-project').textContent).toContain('New project on box')
    await userEvent.click(screen.getByTestId('new-project-create'))
    await waitFor(() =>
      expect(main.asked('project.open')).toEqual([
        { target: 'box', folder: '/home/me/projects/sigmoid' },
      ]),
    )
    expect(main.asked('remote.make')).toEqual([
      { target: 'box', kind: 'sample', id: 'sigmoid', name: '', parent: '/home/me/projects' },
    ])
  })
})

describe('a connection that is lost', () => {
  it('is shown with its reason; Reconnect asks main, and the bar goes once it is there', async () => {
    main.give('remote.reconnect', {})
    openInWindow(open.folder)
    projectStore.setState(({ project }) => ({
      project: project && { ...project, target: 'ssh:gpu' },
    }))
    render(<ConnectionBar />)
    act(() => main.send('remote.changed', open))
    expect(screen.queryByTestId('connection-bar')).toBeNull()
    act(() => main.send('remote.changed', { ...lost, retryAt: Date.now() + 60_000 }))
    expect(screen.getByTestId('connection-bar').textContent).toMatch(
      /was lost\..*keeps your edits.*next attempt is in (59|60) s/s,
    )
    const reason = screen.getByTestId('connection-reason')
    const details = screen.getByTestId('connection-details')
    expect(reason.title).toContain('was lost.')
    // The reason is one line until somebody asks for the rest.
    expect(details.getAttribute('aria-pressed')).toBe('false')
    await userEvent.click(details)
    expect(details.getAttribute('aria-pressed')).toBe('true')
    await userEvent.click(screen.getByTestId('connection-reconnect'))
    expect(main.asked('remote.reconnect')).toHaveLength(1)
    act(() => main.send('remote.changed', { ...lost, state: 'reconnecting', retryAt: 0 }))
    act(() => main.send('remote.changed', { ...open, engine: 1 }))
    expect(screen.queryByTestId('connection-bar')).toBeNull()
    expect(events).toEqual(['lost', 'reconnected'])
  })

  it('an engine that went on needs no new start, and the bar says that its work goes on', () => {
    openInWindow(open.folder)
    projectStore.setState(({ project }) => ({
      project: project && { ...project, target: 'ssh:gpu' },
    }))
    render(<ConnectionBar />)
    act(() => main.send('remote.changed', open))
    act(() => main.send('remote.changed', { ...lost, isKept: true }))
    expect(screen.getByTestId('connection-bar').textContent).toContain('Work on gpu continues.')
    act(() => main.send('remote.changed', open))
    expect(events).toEqual([])
    // It has ended after all: its work is gone, and the project is open in another.
    act(() => main.send('remote.changed', { ...lost, isKept: true }))
    act(() => main.send('remote.changed', { ...open, engine: 1 }))
    expect(events).toEqual(['lost', 'reconnected'])
  })
})
