import type { KeyboardEvent, ReactElement } from 'react'

type Option<T extends string> = { value: T; label: string; testId?: string }
type Props<T extends string> = {
  label: string
  value: T
  options: readonly Option<T>[]
  onChange: (value: T) => void
}

/** A few views of one thing, one of them shown; arrows move between them. */
export function Segmented<T extends string>(props: Props<T>): ReactElement {
  const { label, value, options, onChange } = props
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const index = options.findIndex((option) => option.value === value)
    const next = options[(index + step + options.length) % options.length]
    if (!next) return
    onChange(next.value)
    const buttons = event.currentTarget.querySelectorAll('button')
    buttons[options.indexOf(next)]?.focus()
  }
  return (
    <div className="segmented" role="tablist" aria-label={label} onKeyDown={move}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="tab"
          aria-selected={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          onClick={() => onChange(option.value)}
          data-testid={option.testId}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
