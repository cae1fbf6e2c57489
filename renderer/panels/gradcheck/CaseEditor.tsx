import { useState, type ReactElement } from 'react'

import type { InputSpec } from '../../../electron/contract/manifest'
import { IconButton } from '../../shell/primitives/Button'
import { CommitField } from '../../shell/primitives/CommitField'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { Icon } from '../../shell/primitives/Icon'
import { InputForm } from '../../shell/primitives/InputForm'
import { inputMaking, inputSummary } from '../../shell/primitives/input-text'
import { Menu, type MenuItem } from '../../shell/primitives/Menu'
import { commandStore, runCommand, shortcutOf, shortcutText } from '../../store/commands'
import { useGradcheck } from '../../store/gradcheck'
import { inputsNamed } from '../../store/gradcheck-case'
import { chooseOther, editDraft, runGradcheck, stopGradchecks } from '../../store/gradcheck-run'
import { useInputSpecs } from '../../store/inputs'
import { showPanel } from '../../store/layout'
import { CaseOptions } from './CaseOptions'
import { OperatorField } from './OperatorField'

/** What is checked, and how; a change is checked by itself. */
export function CaseEditor(): ReactElement {
  return (
    <div className="gc-case" role="group" aria-label="What is checked">
      <CallBar />
      <CaseOptions />
      <CaseInputs />
    </div>
  )
}

function CallBar(): ReactElement {
  const draft = useGradcheck((state) => state.draft)
  const job = useGradcheck((state) => state.job)
  const startedAt = useGradcheck((state) => state.startedAt)
  return (
    <div className="gc-call">
      <OperatorField id="gradcheck-op" key={draft.op} op={draft.op} onChoose={chooseOther} />
      <span className="gc-args">
        <CommitField
          id="gradcheck-args"
          label="on"
          text={draft.argsText}
          placeholder="no arguments"
          parse={(text) => ({ value: text.trim() })}
          onCommit={(argsText) => editDraft({ argsText })}
        />
      </span>
      {job === null ? (
        <IconButton
          icon="refresh"
          label={`Check again (${shortcutOf('gradcheck.run')})`}
          disabled={draft.op === ''}
          onClick={() => void runGradcheck()}
          testId="gradcheck-run"
        />
      ) : (
        <span className="graph-job" role="status">
          <Elapsed since={startedAt} />
          <IconButton
            icon="stop"
            label="Stop"
            onClick={() => void stopGradchecks()}
            testId="gradcheck-stop"
          />
        </span>
      )}
      <CaseMenu />
    </div>
  )
}

function CaseMenu(): ReactElement {
  const item = (id: string): MenuItem => {
    const command = commandStore.getState().commands.find((one) => one.id === id)
    return {
      key: id,
      label: command?.title.replace(/^Gradcheck: /, '') ?? id,
      ...(command?.shortcut === undefined ? {} : { note: shortcutText(command.shortcut) }),
      disabled: !(command?.enabled?.() ?? true),
      testId: id,
      run: () => runCommand(id),
    }
  }
  return (
    <Menu
      name="Gradcheck"
      testId="gradcheck-menu"
      align="right"
      label="More"
      sections={[
        [item('gradcheck.keep'), item('gradcheck.keepFailing')],
        [item('gradcheck.sweep'), item('gradcheck.search'), item('gradcheck.all')],
      ]}
    />
  )
}

/** The inputs of the call; an edit is this case's own until it is kept. */
function CaseInputs(): ReactElement | null {
  const draft = useGradcheck((state) => state.draft)
  const specs = useInputSpecs()
  const [open, setOpen] = useState<string | null>(null)
  const all = { ...specs, ...draft.inputs }
  const names = inputsNamed(draft.argsText, all)
  if (names.length === 0) return null
  const spec = open === null ? undefined : all[open]
  const change = (name: string, next: InputSpec): void =>
    editDraft({ inputs: { ...draft.inputs, [name]: next } })
  const reset = (name: string): void => {
    const { [name]: _taken, ...inputs } = draft.inputs
    editDraft({ inputs })
  }
  return (
    <div className="gc-inputs">
      <div className="gc-chips">
        {names.map((name) => {
          const one = all[name]
          if (!one) return null
          const own = Object.hasOwn(draft.inputs, name) && Object.hasOwn(specs, name)
          return (
            <button
              key={name}
              type="button"
              className="gc-chip"
              aria-expanded={open === name}
              title={`${inputSummary(one)} · ${inputMaking(one)}${own ? '\nThis case has its own' : ''}`}
              data-testid={`gradcheck-input-${name}`}
              onClick={() => setOpen(open === name ? null : name)}
            >
              <Icon name={open === name ? 'down' : 'right'} />
              <span className="mono">{name}</span>
              <span className="muted mono ellipsis">
                {inputSummary(one)} · {inputMaking(one)}
              </span>
              {own && <span className="badge">own</span>}
            </button>
          )
        })}
      </div>
      {open !== null && spec && names.includes(open) && (
        <>
          <InputForm name={open} spec={spec} onChange={(next) => change(open, next)} />
          <span className="gc-options">
            <span className="muted">Edits are this case’s own.</span>
            <button type="button" className="link" onClick={() => showPanel('run')}>
              The project’s inputs are in Run
            </button>
            {Object.hasOwn(draft.inputs, open) && Object.hasOwn(specs, open) && (
              <button type="button" className="link" onClick={() => reset(open)}>
                Take the project’s {open} again
              </button>
            )}
          </span>
        </>
      )}
    </div>
  )
}
