import type { ReactElement } from 'react'

import { CommitField } from './CommitField'
import { OperatorField } from './OperatorField'

type Props = {
  /** Fields are "<id>-op" and "<id>-args". */
  id: string
  op: string
  argsText: string
  /** Where there are no arguments. */
  placeholder: string
  onChoose: (op: string) => void
  onArguments: (text: string) => void
}

/** Which operator is called, and on what. */
export function CallFields({
  id,
  op,
  argsText,
  placeholder,
  onChoose,
  onArguments,
}: Props): ReactElement {
  return (
    <>
      <OperatorField id={`${id}-op`} key={op} op={op} onChoose={onChoose} />
      <span className="case-arguments">
        <CommitField
          id={`${id}-args`}
          label="on"
          text={argsText}
          placeholder={placeholder}
          parse={(text) => ({ value: text.trim() })}
          onCommit={onArguments}
        />
      </span>
    </>
  )
}
