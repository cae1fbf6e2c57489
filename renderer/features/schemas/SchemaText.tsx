import { useMemo, type ReactElement } from 'react'

import { schemaTokens } from '../../store/schema-text'

/** A schema with its parts told apart: types, names, aliasing, defaults. */
export function SchemaText({ schema }: { schema: string }): ReactElement {
  const tokens = useMemo(() => schemaTokens(schema), [schema])
  return (
    <code className="schemas-text selectable">
      {tokens.map((token, index) => (
        <span key={index} className={`schemas-${token.kind}`}>
          {token.text}
        </span>
      ))}
    </code>
  )
}
