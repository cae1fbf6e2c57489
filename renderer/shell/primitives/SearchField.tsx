import type { KeyboardEvent, ReactElement } from 'react'

import { Icon } from './Icon'

type Props = {
  value: string
  onChange: (value: string) => void
  label: string
  testId?: string
  note?: string
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
}

export function SearchField(props: Props): ReactElement {
  const { value, onChange, label, testId, note, onKeyDown } = props
  return (
    <div className="search">
      <Icon name="search" />
      <input
        type="search"
        value={value}
        placeholder={label}
        aria-label={label}
        spellCheck={false}
        data-testid={testId}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {note !== undefined && <span className="muted number">{note}</span>}
    </div>
  )
}
