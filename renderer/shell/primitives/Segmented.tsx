import type { KeyboardEvent, ReactElement } from 'react'

type Option<T extends string> = {
  value: T
  label: string
  testId?: string
  /** Why it cannot be chosen: it is shown disabled, and says so. "" or left out: it can. */
  whyNot?: string
}
type Props<T extends string> = {
  label: string
  value: T
  options: readonly Option<T>[]
  onChange: (value: T) => void
}

const isPossible = ({ whyNot = '' }: { whyNot?: string }): boolean => whyNot === ''

/** A few views of one thing, one of them shown; arrows move between them. */
export function Segmented<T extends string>(props: Props<T>): ReactElement {
  const { label, value, options, onChange } = props
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const possible = options.filter((option) => option.value === value || isPossible(option))
    const index = possible.findIndex((option) => option.value === value)
    const next = possible[(index + step + possible.length) % possible.length]
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
          aria-disabled={!isPossible(option)}
          title={isPossible(option) ? undefined : option.whyNot}
          tabIndex={option.value === value ? 0 : -1}
          onClick={() => {
            if (isPossible(option)) onChange(option.value)
          }}
          data-testid={option.testId}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
