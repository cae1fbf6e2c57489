import type { ReactElement } from 'react'

import { shortcutOf } from '../../store/commands'
import { Button } from './Button'

type Props = {
  /** "Run", "Check", "Measure", "Profile". */
  text: string
  /** What it does, for who looks longer. */
  title: string
  /** The command with the same effect, whose key is shown. */
  command: string
  disabled: boolean
  onClick: () => void
  testId: string
}

/** The main action of a panel: the same in all of them, with its key. */
export function ActionButton(props: Props): ReactElement {
  const { text, title, command, disabled, onClick, testId } = props
  const key = shortcutOf(command)
  return (
    <Button
      primary
      icon="play"
      disabled={disabled}
      onClick={onClick}
      title={key === '' ? title : `${title} (${key})`}
      testId={testId}
    >
      {text} {key !== '' && <kbd>{key}</kbd>}
    </Button>
  )
}
