import { useEffect, useRef, type ReactElement } from 'react'

import { machineOf } from '../../electron/contract/project-place'
import {
  beginConnect,
  cancelConnect,
  changeConnect,
  chooseTarget,
  connect,
  endConnect,
  stopConnecting,
  useRemote,
} from '../store/remote'
import { askForNewProjectOn } from '../store/new-project'
import { ConnectFolders } from './ConnectFolders'
import { Button } from './primitives/Button'
import { ErrorView } from './primitives/ErrorView'
import { Icon } from './primitives/Icon'
import { DialogActions, ProjectDialog } from './ProjectDialog'

/** Asks for a machine and a folder there, and shows how far connecting is. */
export function ConnectDialog(): ReactElement | null {
  return useRemote(({ shown }) => shown !== null) ? <Connect /> : null
}

/** Asks the machine what a project can begin as; the dialog shows how far that is. */
async function newProjectThere(): Promise<void> {
  const target = beginConnect()
  if (target === '') return
  const error = await askForNewProjectOn(target)
  endConnect(error, error === null)
}

function Connect(): ReactElement | null {
  const shown = useRemote((state) => state.shown)
  const machine = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // The dialog focuses its first control, which is a machine of the list.
    machine.current?.focus()
    machine.current?.select()
  }, [])
  if (!shown) return null
  const { target, folder, isBusy, progress, error } = shown
  return (
    <ProjectDialog
      title="Connect to another machine"
      isBusy={isBusy}
      testId="connect"
      onCancel={cancelConnect}
    >
      <form
        className="connect"
        onSubmit={(event) => {
          event.preventDefault()
          void connect()
        }}
      >
        <Machines />
        <div className="form">
          <label htmlFor="connect-target">Machine</label>
          <input
            id="connect-target"
            ref={machine}
            className="mono"
            required
            spellCheck={false}
            placeholder="user@host, or a command such as: docker exec -i torch-box"
            value={target}
            disabled={isBusy}
            data-testid="connect-target"
            onChange={(event) => changeConnect({ target: event.target.value, error: null })}
          />
          <label htmlFor="connect-folder">Folder there</label>
          <input
            id="connect-folder"
            className="mono"
            required
            spellCheck={false}
            placeholder="operators/my_op"
            value={folder}
            disabled={isBusy}
            data-testid="connect-folder"
            onChange={(event) => changeConnect({ folder: event.target.value, error: null })}
          />
        </div>
        <ConnectFolders />
        <p className="muted">
          The folder of a project on that machine: a full path, or a path relative to your home
          folder there. If that machine does not have this version of Opsmith, Opsmith asks whether
          to copy itself there.
        </p>
        {progress !== '' && (isBusy || error !== null) && (
          <pre className="connect-progress mono selectable" role="status" data-testid="connect-log">
            {progress}
          </pre>
        )}
        {error && <ErrorView error={error} testId="connect-error" />}
        <DialogActions
          submit={isBusy ? 'Connecting …' : 'Connect and open'}
          isBusy={isBusy}
          testId="connect-open"
        >
          {isBusy ? (
            <Button icon="stop" onClick={() => void stopConnecting()} testId="connect-stop">
              Stop
            </Button>
          ) : (
            <>
              <Button onClick={() => void newProjectThere()} testId="connect-new">
                New project there …
              </Button>
              <Button onClick={cancelConnect} testId="connect-cancel">
                Cancel
              </Button>
            </>
          )}
        </DialogActions>
      </form>
    </ProjectDialog>
  )
}

/** The targets of the settings, the hosts of ssh, and what was used before. */
function Machines(): ReactElement | null {
  const targets = useRemote(({ shown }) => shown?.targets) ?? []
  const chosen = useRemote(({ shown }) => shown?.target)
  const isBusy = useRemote(({ shown }) => shown?.isBusy === true)
  if (targets.length === 0) return null
  return (
    <ul className="connect-machines" aria-label="Machines">
      {targets.map((target) => (
        <li key={target.name}>
          <button
            type="button"
            className="connect-machine"
            aria-pressed={target.name === chosen}
            disabled={isBusy}
            data-testid={`connect-machine-${target.name}`}
            onClick={() => chooseTarget(target)}
          >
            <Icon name="server" />
            <strong>{machineOf(target.name)}</strong>
            <span className="muted ellipsis mono">{target.detail}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
