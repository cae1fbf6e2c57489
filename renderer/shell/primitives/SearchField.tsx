import { useRef, type KeyboardEvent, type ReactElement } from 'react'

import { IconButton } from './Button'
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
  const field = useRef<HTMLInputElement>(null)
  return (
    <div className="search">
      <Icon name="search" />
      <input
        ref={field}
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
      {value !== '' && (
        <IconButton
          icon="clear"
          label="Clear the search"
          onClick={() => {
            onChange('')
            field.current?.focus()
          }}
        />
      )}
    </div>
  )
}
