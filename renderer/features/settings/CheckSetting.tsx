import type { ReactElement } from 'react'

type Props = {
  /** Also what tests find it by. */
  id: string
  label: string
  /** What holds while it is on. */
  words: string
  checked: boolean
  onChange: (checked: boolean) => Promise<unknown>
}

/** A setting that is on or off. */
export function CheckSetting({ id, label, words, checked, onChange }: Props): ReactElement {
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <label className="check">
        <input
          id={id}
          type="checkbox"
          checked={checked}
          data-testid={id}
          onChange={(event) => void onChange(event.target.checked)}
        />
        {words}
      </label>
    </>
  )
}
