import type { ReactElement } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { Button } from './primitives/Button'
import { Markdown } from './primitives/Markdown'

/** Markdown; "" while nothing is shown. */
const store = createStore<{ text: string }>(() => ({ text: '' }))

export function showReleaseNotes(text: string): void {
  store.setState({ text })
}

/** What an update has brought; shown once. */
export function ReleaseNotes(): ReactElement | null {
  const text = useStore(store, (state) => state.text)
  if (text === '') return null
  const close = (): void => showReleaseNotes('')
  return (
    <dialog
      className="ask release-notes"
      aria-label="What is new in this version"
      data-testid="release-notes"
      ref={(dialog) => {
        if (dialog && !dialog.open) dialog.showModal()
      }}
      onClose={close}
    >
      <h2>What is new in this version</h2>
      <div className="scroll release-notes-text">
        <Markdown text={text} />
      </div>
      <div className="actions">
        <Button primary onClick={close} testId="release-notes-close">
          Close
        </Button>
      </div>
    </dialog>
  )
}
