import { useState, type KeyboardEvent, type ReactElement } from 'react'

type Props<T> = {
  id: string
  label: string
  text: string
  placeholder?: string
  multiline?: boolean
  parse: (text: string) => { value: T } | { problem: string }
  onCommit: (value: T) => void
}

/** A field whose text counts when it is left or Enter is pressed, and only if it parses. */
export function CommitField<T>(props: Props<T>): ReactElement {
  const { id, label, text, placeholder, multiline = false, parse, onCommit } = props
  const [draft, setDraft] = useState<string | null>(null)
  const parsed = draft === null ? null : parse(draft)
  const problem = parsed && 'problem' in parsed ? parsed.problem : null

  const commit = (): void => {
    if (draft === null || draft === text) {
      setDraft(null)
      return
    }
    if (parsed && 'value' in parsed) {
      setDraft(null)
      onCommit(parsed.value)
    }
  }
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setDraft(null)
    // Ctrl+Enter runs: the edit has to count before it does.
    if (event.key === 'Enter' && (!multiline || event.ctrlKey || event.metaKey)) commit()
  }
  const common = {
    id,
    className: 'mono',
    value: draft ?? text,
    placeholder,
    spellCheck: false,
    'aria-invalid': problem !== null,
    'data-testid': id,
    onBlur: commit,
    onKeyDown: keys,
  }
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <div className={multiline ? 'form-field wide' : 'form-field'}>
        {multiline ? (
          <textarea
            {...common}
            rows={Math.min(8, Math.max(2, (draft ?? text).split('\n').length))}
            onChange={(event) => setDraft(event.target.value)}
          />
        ) : (
          <input {...common} onChange={(event) => setDraft(event.target.value)} />
        )}
        {problem !== null && (
          <span className="field-problem" role="alert">
            {problem}
          </span>
        )}
      </div>
    </>
  )
}

/** What parses an integer in a range for a field, both ends included. */
export const parseInteger =
  (least: number, most: number) =>
  (text: string): { value: number } | { problem: string } => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    return Number.isInteger(value) && value >= least && value <= most
      ? { value }
      : { problem: `must be an integer from ${least} to ${most}` }
  }
