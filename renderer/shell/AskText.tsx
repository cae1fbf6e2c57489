import { useState, type ReactElement } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { Button } from './primitives/Button'

type Question = {
  title: string
  /** The word on the button. */
  action: string
  /** In the field at first. */
  initial?: string
}

type Asked = Question & { answer: (text: string | null) => void }

const questionStore = createStore<{ asked: Asked | null }>(() => ({ asked: null }))

/** Asks for a line of text; null when the user cancels, and for an empty line. */
export function askText(question: Question): Promise<string | null> {
  questionStore.getState().asked?.answer(null)
  return new Promise((resolve) => {
    questionStore.setState({
      asked: {
        ...question,
        answer: (text) => {
          questionStore.setState({ asked: null })
          resolve(text)
        },
      },
    })
  })
}

export function AskText(): ReactElement | null {
  const asked = useStore(questionStore, (state) => state.asked)
  return asked && <OpenQuestion asked={asked} />
}

function OpenQuestion({ asked }: { asked: Asked }): ReactElement {
  const { title, action, initial = '', answer } = asked
  const [text, setText] = useState(initial)
  return (
    <dialog
      className="ask"
      aria-label={title}
      ref={(dialog) => {
        if (dialog && !dialog.open) dialog.showModal()
      }}
      onCancel={() => answer(null)}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          answer(text.trim() === '' ? null : text.trim())
        }}
      >
        <label>
          {title}
          <input
            autoFocus
            value={text}
            spellCheck={false}
            data-testid="ask-text"
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <div className="actions">
          <Button onClick={() => answer(null)}>Cancel</Button>
          <button type="submit" className="button primary" data-testid="ask-accept">
            {action}
          </button>
        </div>
      </form>
    </dialog>
  )
}
