import type { ReactElement } from 'react'

import { dtype, type Dtype } from '../../../electron/contract/tensor'
import { CommitField } from './CommitField'
import { parseWords } from './input-text'

type Props = {
  id: string
  /** How the calls use the dtypes, in a sentence. */
  use: string
  dtypes: readonly Dtype[]
  onCommit: (dtypes: Dtype[]) => void
}

/** The dtypes that floating and complex inputs are given. */
export function DtypesField({ id, use, dtypes, onCommit }: Props): ReactElement {
  return (
    <span
      className="case-option case-range"
      title={`${use} Each floating-point or complex input gets the dtype. If the list is empty, the inputs keep their dtypes.`}
    >
      <CommitField
        id={id}
        label="dtypes"
        text={dtypes.join(', ')}
        placeholder="of inputs"
        parse={(text) => parseWords<Dtype>(text, dtype.options, 'dtype')}
        onCommit={onCommit}
      />
    </span>
  )
}
