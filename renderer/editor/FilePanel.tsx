import { useEffect, useState, type ReactElement } from 'react'

import { addFile, changeFile, filesStore, useFiles } from '../store/files'
import { EmptyState } from '../shell/primitives/EmptyState'
import { ErrorView } from '../shell/primitives/ErrorView'
import { Button } from '../shell/primitives/Button'
import { CodeEditor } from './CodeEditor'
import { CompareView } from './CompareView'
import { ConflictBar } from './ConflictBar'
import { markFile } from './markers'
import { loadModel } from './models'

type Props = {
  path: string
  /** The panel's name: a file may be open in several. */
  panel: string
  active: boolean
}

/** One file in one tab. The editor is made when the tab is first looked at. */
export function FilePanel({ path, panel, active }: Props): ReactElement {
  const file = useFiles((state) => state.files[path])
  const [seen, setSeen] = useState(active)
  const [comparing, setComparing] = useState(false)
  if (active && !seen) setSeen(true)

  useEffect(() => {
    if (!seen) return
    // A tab of a remembered layout has no entry yet.
    if (!filesStore.getState().files[path]) addFile(path, path.startsWith('/'))
    void loadModel(path).then((model) => {
      if (model) markFile(path)
    })
  }, [path, seen])

  if (!file || file.state === 'loading') return <EmptyState text={`Reading ${path} …`} quiet />
  if (file.state === 'failed') {
    const retry = (): void => {
      changeFile(path, { state: 'loading', error: null })
      void loadModel(path)
    }
    const again = <Button onClick={retry}>Try again</Button>
    return (
      <div className="panel-pad">
        {file.error ? <ErrorView error={file.error}>{again}</ErrorView> : again}
      </div>
    )
  }
  const diskText = file.conflict?.kind === 'changed' ? file.conflict.diskText : null
  const compare = comparing && diskText !== null
  return (
    <div className="file-panel">
      <ConflictBar
        file={file}
        comparing={compare}
        onCompare={() => setComparing((shown) => !shown)}
      />
      {compare ? (
        <CompareView
          path={path}
          original={diskText}
          label={`Compare ${path} with the file on disk`}
        />
      ) : (
        <CodeEditor path={path} panel={panel} readOnly={file.external} active={active} />
      )}
    </div>
  )
}
