import type { ReactElement } from 'react'

type Props = { diff: string; label: string; testId?: string }

/** A unified diff; the signs at the lines' beginnings say what the colours do. */
export function DiffText({ diff, label, testId }: Props): ReactElement {
  return (
    <pre className="diff-text selectable" aria-label={label} tabIndex={0} data-testid={testId}>
      {diff
        .trimEnd()
        .split('\n')
        .map((line, index) => (
          <span key={index} className={toneOf(line)}>
            {line}
            {'\n'}
          </span>
        ))}
    </pre>
  )
}

function toneOf(line: string): string {
  if (/^(\+\+\+|---|@@|diff |index )/.test(line)) return 'muted'
  if (line.startsWith('+')) return 'tone-ok'
  return line.startsWith('-') ? 'tone-error' : ''
}
