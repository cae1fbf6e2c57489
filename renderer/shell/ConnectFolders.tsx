import { useEffect, type ReactElement } from 'react'

import { machineOf } from '../../electron/contract/project-place'
import { changeConnect, useRemote } from '../store/remote'
import {
  forgetFolders,
  listFolders,
  splitTyped,
  stopListing,
  useRemoteFolders,
} from '../store/remote-folders'
import { Icon } from './primitives/Icon'

/** The folders of the other machine that fit what is typed. */
export function ConnectFolders(): ReactElement | null {
  const target = useRemote(({ shown }) => shown?.target ?? '')
  const typed = useRemote(({ shown }) => shown?.folder ?? '')
  const isConnecting = useRemote(({ shown }) => shown?.isBusy === true)
  const known = useRemote(({ shown }) => shown?.targets.find(({ name }) => name === target))
  const { found, isBusy, problem } = useRemoteFolders()
  useEffect(() => {
    if (isConnecting) stopListing()
    else listFolders(known, typed)
  }, [known, typed, isConnecting])
  useEffect(() => forgetFolders, [])
  if (isConnecting || !known) return null
  if (!found)
    return (
      <p className="muted connect-note" role="status" data-testid="connect-folders-note">
        {isBusy ? `Asking ${machineOf(target)} for its folders …` : problem}
      </p>
    )
  // Until the folders of what is typed now have come, those of before are shown.
  const { path, start } =
    splitTyped(typed).path === found.path ? splitTyped(typed) : { path: found.path, start: '' }
  const fitting = found.folders.filter(
    ({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')),
  )
  return (
    <div className="connect-folders">
      <p className="muted ellipsis mono connect-note" title={found.folder}>
        {found.folder}
      </p>
      <ul aria-label={`Folders of ${machineOf(target)}`} data-testid="connect-folders">
        {fitting.map(({ name, isProject }) => (
          <li key={name}>
            <button
              type="button"
              className="connect-machine"
              data-testid={`connect-folder-${name}`}
              onClick={() => {
                changeConnect({ folder: `${path}${name}${isProject ? '' : '/'}`, error: null })
              }}
            >
              <Icon name={isProject ? 'flask' : 'folder'} />
              <span className="mono">{name}</span>
              {isProject && <span className="muted">project</span>}
            </button>
          </li>
        ))}
      </ul>
      {fitting.length === 0 && <p className="muted connect-note">No folder begins with this.</p>}
      {found.isCut && (
        <p className="muted connect-note">There are more folders. Type the beginning of a name.</p>
      )}
    </div>
  )
}
