import type { ReactElement } from 'react'

import type { AssemblyRow } from '../../../electron/contract/assembly'

/** An instruction with its name set off, or a label or directive as it is. */
export function Code({ row, meaning = '' }: { row: AssemblyRow; meaning?: string }): ReactElement {
  if (row.kind !== 'instruction') return <span className="assembly-code">{row.text}</span>
  const space = row.text.indexOf(' ')
  const mnemonic = space < 0 ? row.text : row.text.slice(0, space)
  // The tool sets its remarks far to the right.
  const rest = space < 0 ? '' : row.text.slice(space + 1).replace(/\s{2,}#/, ' #')
  return (
    <span className="assembly-code selectable" title={rest.length > 60 ? row.text : undefined}>
      <span className="assembly-mnemonic" title={meaning === '' ? undefined : meaning}>
        {mnemonic}
      </span>{' '}
      {rest}
    </span>
  )
}
