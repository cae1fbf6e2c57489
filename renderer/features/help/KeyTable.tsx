import type { ReactElement } from 'react'

type Props = { name: string; rows: readonly { key: string; meaning: string }[] }

/** Keys and what they do. */
export function KeyTable({ name, rows }: Props): ReactElement | null {
  if (rows.length === 0) return null
  return (
    <table className="table help-keys" aria-label={name}>
      <thead className="unseen">
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Action</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, meaning }) => (
          <tr key={`${key} ${meaning}`} data-testid="help-key">
            <td>
              <kbd>{key}</kbd>
            </td>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
