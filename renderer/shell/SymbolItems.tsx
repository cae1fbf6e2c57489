import { Command } from 'cmdk'
import { useEffect, useState, type ReactElement } from 'react'

import type { ProjectSymbol } from '../../electron/contract/language'
import { call } from '../bridge/bridge'
import { unsavedTexts } from '../editor/models'
import { closePalette, openFile } from '../store/layout'
import { notifyError } from '../store/notifications'
import { currentFolder } from '../store/project'

/** The palette's entries for the names that the project defines. */
export function SymbolItems(): ReactElement {
  const [symbols, setSymbols] = useState<readonly ProjectSymbol[]>([])
  useEffect(() => {
    let isWanted = true
    const folder = currentFolder()
    if (folder === null) return
    void call('symbol.list', { folder, unsaved: unsavedTexts() }).then((listed) => {
      if (!listed.ok) notifyError(listed.error)
      else if (isWanted) setSymbols(listed.value)
    })
    return () => {
      isWanted = false
    }
  }, [])
  return (
    <>
      {symbols.map(({ name, kind, path, line, column }) => (
        <Command.Item
          key={`${path}:${line}:${column} ${name}`}
          value={`${name} ${path}:${line}:${column}`}
          data-testid="palette-symbol"
          onSelect={() => {
            closePalette()
            setTimeout(() => openFile(path, line, column), 0)
          }}
        >
          <span className="muted palette-group">{kind}</span>
          <span className="grow mono">{name}</span>
          <span className="muted">
            {path}:{line}
          </span>
        </Command.Item>
      ))}
    </>
  )
}
