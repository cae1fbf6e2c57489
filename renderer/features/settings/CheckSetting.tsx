import type { ReactElement } from 'react'

type Props = {
  /** Also what tests find it by. */
  id: string
  label: string
  /** What holds while it is on. */
  words: string
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => Promise<unknown>
}

/** A setting that is on or off. */
export function CheckSetting(props: Props): ReactElement {
  const { id, label, words, checked, disabled = false, onChange } = props
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <label className="check">
        <input
          id={id}
          type="checkbox"
          checked={checked}
          disabled={disabled}
          data-testid={id}
          onChange={(event) => void onChange(event.target.checked)}
        />
        {words}
      </label>
    </>
  )
}
