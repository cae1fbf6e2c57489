import { useState, type ReactElement } from 'react'

import { SearchField } from '../../shell/primitives/SearchField'
import { useCommands } from '../../store/commands'
import { KeyTable } from './KeyTable'
import { keyGroups } from './keys'

/** Every key of the window that runs a command. */
export function KeysView(): ReactElement {
  const commands = useCommands()
  const [query, setQuery] = useState('')
  const wanted = query.trim().toLowerCase()
  const groups = keyGroups(commands).flatMap(({ group, rows }) => {
    const found = rows.filter((row) =>
      `${group} ${row.key} ${row.meaning}`.toLowerCase().includes(wanted),
    )
    return found.length === 0 ? [] : [{ group, rows: found }]
  })
  return (
    <>
      <SearchField value={query} onChange={setQuery} label="Search keys" testId="help-search" />
      <div className="scroll panel-pad">
        {groups.map(({ group, rows }) => (
          <section key={group} className="help-section">
            <h2>{group}</h2>
            <KeyTable name={group} rows={rows} />
          </section>
        ))}
        {groups.length === 0 && <p className="muted">No key matches “{query}”.</p>}
        <p className="muted">
          The command palette has all other commands. The editor uses the keys of VS Code.
        </p>
      </div>
    </>
  )
}
