import { useEffect, useRef, type ReactElement } from 'react'

import { Button, IconButton } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { useLayout } from '../../store/layout'
import { askForTrust, useRestricted } from '../../store/trust'
import { focusShown } from './commands'
import {
  closeTerminal,
  openTerminal,
  showTerminal,
  terminalsStore,
  useTerminals,
  type Terminal,
} from './store'
import { views } from './load-views'

/** Shells in the folder of the project. */
export function TerminalPanel(): ReactElement {
  const restricted = useRestricted()
  const terminals = useTerminals((state) => state.terminals)
  const shown = useTerminals((state) => state.shown)
  const error = useTerminals((state) => state.error)
  const isShown = useLayout((state) => state.visible.has('terminal'))
  useEffect(() => {
    const { terminals: known, error: failed } = terminalsStore.getState()
    if (!isShown || restricted || known.length > 0 || failed) return
    void openTerminal().then(focusShown)
  }, [isShown, restricted])
  if (restricted) {
    return (
      <EmptyState
        icon="shield"
        text="A terminal can run code in this folder. Trust the folder first."
      >
        <Button primary onClick={askForTrust} testId="terminal-trust">
          Trust this folder …
        </Button>
      </EmptyState>
    )
  }
  return (
    <div className="panel-column" data-testid="terminal-panel">
      <div className="panel-bar terminal-bar">
        <div className="terminal-tabs" role="group" aria-label="Terminals">
          {terminals.map((terminal) => (
            <TerminalTab
              key={terminal.name}
              terminal={terminal}
              isShown={terminal.name === shown}
            />
          ))}
        </div>
        <IconButton
          icon="plus"
          label="New terminal"
          onClick={() => void openTerminal().then(focusShown)}
          testId="terminal-new"
        />
        <EnlargeButton panel="terminal" />
      </div>
      {error && <ErrorView error={error} testId="terminal-error" />}
      {shown !== null && <View key={shown} name={shown} />}
      {terminals.length === 0 && !error && (
        <EmptyState icon="right" text="Runs your shell in the folder of the project.">
          <Button primary icon="plus" onClick={() => void openTerminal().then(focusShown)}>
            Open a terminal
          </Button>
        </EmptyState>
      )}
    </div>
  )
}

function TerminalTab({
  terminal,
  isShown,
}: {
  terminal: Terminal
  isShown: boolean
}): ReactElement {
  const { name, title, exitCode } = terminal
  return (
    <span className={isShown ? 'terminal-tab selected' : 'terminal-tab'}>
      <button
        type="button"
        aria-pressed={isShown}
        data-testid="terminal-tab"
        onClick={() => {
          showTerminal(name)
          setTimeout(focusShown, 0)
        }}
      >
        {title}
        {exitCode !== null && <span className="tone-error"> exited with code {exitCode}</span>}
      </button>
      <IconButton
        icon="close"
        label={`Close ${title} and end its processes`}
        onClick={() => void closeTerminal(name)}
      />
    </span>
  )
}

function View({ name }: { name: string }): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => (host.current ? views()?.placeView(name, host.current) : undefined), [name])
  return (
    <div className="terminal-host" ref={host} data-testid="terminal-view" data-terminal={name} />
  )
}
