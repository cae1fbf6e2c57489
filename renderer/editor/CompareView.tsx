import { useEffect, useRef, type ReactElement } from 'react'

import { useSettings } from '../store/settings'
import { modelOf } from './models'
import { monaco } from './monaco'

type Props = {
  path: string
  /** What the file's text is compared with. */
  original: string
  /** Names the two for who hears it. */
  label: string
}

/** Another text (left) against what was typed (right, still editable). */
export function CompareView({ path, original, label }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const fontSize = useSettings((settings) => settings.fontSize)
  useEffect(() => {
    const mine = modelOf(path)
    if (!host.current || !mine) return
    const other = monaco.editor.createModel(original, mine.getLanguageId())
    const editor = monaco.editor.createDiffEditor(host.current, {
      automaticLayout: true,
      originalEditable: false,
      renderSideBySide: true,
      useInlineViewWhenSpaceIsLimited: true,
      fontSize,
      minimap: { enabled: false },
    })
    editor.setModel({ original: other, modified: mine })
    // A model may go before its editor only where the editor does not show it any more.
    const listener = mine.onWillDispose(() => editor.setModel(null))
    return () => {
      listener.dispose()
      editor.dispose()
      other.dispose()
    }
  }, [path, original, fontSize])
  return <div className="editor-host" ref={host} role="group" aria-label={label} />
}
