import { useEffect, useRef, type ReactElement } from 'react'

import { useSettings } from '../store/settings'
import { modelOf } from './models'
import { monaco } from './monaco'

/** What is on disk (left) against what was typed (right, still editable). */
export function CompareView({ path, diskText }: { path: string; diskText: string }): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const fontSize = useSettings((settings) => settings.fontSize)
  useEffect(() => {
    const mine = modelOf(path)
    if (!host.current || !mine) return
    const disk = monaco.editor.createModel(diskText, mine.getLanguageId())
    const editor = monaco.editor.createDiffEditor(host.current, {
      automaticLayout: true,
      originalEditable: false,
      renderSideBySide: true,
      useInlineViewWhenSpaceIsLimited: true,
      fontSize,
      minimap: { enabled: false },
    })
    editor.setModel({ original: disk, modified: mine })
    return () => {
      editor.dispose()
      disk.dispose()
    }
  }, [path, diskText, fontSize])
  return <div className="editor-host" ref={host} aria-label={`Compare ${path} with the disk`} />
}
