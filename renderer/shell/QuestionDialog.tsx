import type { ReactElement } from 'react'

import { useQuestion, type AskedQuestion } from '../store/questions'
import { Button } from './primitives/Button'

/** The question that is asked now; see store/questions. */
export function QuestionDialog(): ReactElement | null {
  const asked = useQuestion()
  return asked && <OpenQuestion asked={asked} />
}

function OpenQuestion({ asked }: { asked: AskedQuestion }): ReactElement {
  const { title, detail, action, answer } = asked
  return (
    <dialog
      className="ask"
      aria-label={title}
      data-testid="question"
      ref={(dialog) => {
        if (!dialog || dialog.open) return
        dialog.showModal()
        dialog.querySelector<HTMLElement>('.primary')?.focus()
      }}
      onCancel={() => answer(false)}
    >
      <p>
        <strong>{title}</strong>
      </p>
      {detail !== '' && <p className="muted">{detail}</p>}
      <div className="actions">
        <Button onClick={() => answer(false)} testId="question-cancel">
          Cancel
        </Button>
        <Button primary onClick={() => answer(true)} testId="question-accept">
          {action}
        </Button>
      </div>
    </dialog>
  )
}
