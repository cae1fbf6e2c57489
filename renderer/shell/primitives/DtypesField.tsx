import type { ReactElement } from 'react'

import { dtype, type Dtype } from '../../../electron/contract/tensor'
import { CommitField } from './CommitField'
import { parseWords } from './input-text'

type Props = { id: string; dtypes: readonly Dtype[]; onCommit: (dtypes: Dtype[]) => void }

/** The dtypes that floating and complex inputs are given. */
export function DtypesField({ id, dtypes, onCommit }: Props): ReactElement {
  return (
    <span
      className="case-option case-range"
      title="The call runs once for each dtype in this list. Opsmith converts every floating-point or complex input to the dtype."
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
