import { useState, type ReactElement } from 'react'

import { call } from '../../bridge/bridge'
import { IconButton } from '../../shell/primitives/Button'
import { openFile } from '../../store/layout'
import { notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'

/** Asks for a path below the project and opens the new file. */
export function NewFile(): ReactElement {
  const [path, setPath] = useState<string | null>(null)
  const create = async (): Promise<void> => {
    const folder = currentFolder()
    const wanted = path?.trim() ?? ''
    if (folder === null || wanted === '') return
    const result = await call('file.create', { folder, path: wanted })
    if (result.ok) {
      setPath(null)
      openFile(result.value.path)
    } else {
      notifyError(result.error)
    }
  }
  if (path === null) return <IconButton icon="plus" label="New file" onClick={() => setPath('')} />
  return (
    <form
      className="new-file"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <input
        autoFocus
        value={path}
        placeholder="kernel.cpp"
        aria-label="Path of the new file"
        spellCheck={false}
        onChange={(event) => setPath(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setPath(null)}
        onBlur={() => path.trim() === '' && setPath(null)}
      />
    </form>
  )
}
