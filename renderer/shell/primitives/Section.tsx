import { useState, type ReactElement, type ReactNode } from 'react'

import { Icon } from './Icon'

type Props = {
  title: string
  /** Beside the title: a count, a summary. */
  note?: string
  noteTestId?: string
  actions?: ReactNode
  open?: boolean
  children: ReactNode
}

/** A part of a panel that can be folded away. */
export function Section({
  title,
  note,
  noteTestId,
  actions,
  open = true,
  children,
}: Props): ReactElement {
  const [shown, setShown] = useState(open)
  return (
    <section className="section">
      <header className="section-header">
        <button
          type="button"
          className="section-title"
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? 'down' : 'right'} />
          <span>{title}</span>
          {note !== undefined && note !== '' && (
            <span className="muted" data-testid={noteTestId}>
              {note}
            </span>
          )}
        </button>
        {actions}
      </header>
      {shown && <div className="section-body">{children}</div>}
    </section>
  )
}
