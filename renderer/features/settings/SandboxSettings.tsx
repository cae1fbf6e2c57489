import { useState, type ReactElement } from 'react'

import { changeSettings, useSettings } from '../../store/settings'
import { CheckSetting } from './CheckSetting'

/** What operators may do outside of their project. */
export function SandboxSettings(): ReactElement {
  const { sandbox, writableFolders } = useSettings((settings) => settings)
  return (
    <>
      <CheckSetting
        id="settings-sandbox"
        label="Sandbox"
        words="operators can write only to their project and to a temporary folder, cannot use the network, and cannot signal other processes; Doctor shows which of these limits this machine supports"
        checked={sandbox}
        onChange={(isOn) => changeSettings({ sandbox: isOn })}
      />
      <label htmlFor="settings-writable-folders">Writable folders</label>
      <WritableFolders folders={writableFolders} isUsed={sandbox} />
    </>
  )
}

/** Counts when the field is left: half a path is another folder. */
function WritableFolders({
  folders,
  isUsed,
}: {
  folders: readonly string[]
  isUsed: boolean
}): ReactElement {
  const [draft, setDraft] = useState<string | null>(null)
  const lines = (draft ?? '').split('\n').map((line) => line.trim())
  const wanted = lines.filter((line) => line !== '')
  const problem = wanted.find((line) => !line.startsWith('/'))
  const commit = (): void => {
    if (draft === null || problem !== undefined) return
    setDraft(null)
    if (wanted.join('\n') !== folders.join('\n')) void changeSettings({ writableFolders: wanted })
  }
  return (
    <div>
      <textarea
        id="settings-writable-folders"
        className="mono"
        rows={Math.max(2, folders.length)}
        value={draft ?? folders.join('\n')}
        disabled={!isUsed}
        aria-invalid={problem !== undefined}
        data-testid="settings-writable-folders"
        onChange={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setDraft(null)
        }}
      />
      <div className="muted">
        {problem === undefined
          ? 'operators may also write to these folders; enter one absolute path per line'
          : `${problem} is not an absolute path`}
      </div>
    </div>
  )
}
