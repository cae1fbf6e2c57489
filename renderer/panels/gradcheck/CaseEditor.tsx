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
import { useProject } from '../../store/project'
import { useRun } from '../../store/run'
import { operatorKey, useSchemas } from '../../store/schemas'
import { CaseOptions } from './CaseOptions'

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
      <OperatorField key={draft.op} op={draft.op} />
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

/** Any operator, libtorch's included, or a function of the program. */
function OperatorField({ op }: { op: string }): ReactElement {
  const [text, setText] = useState(op)
  const load = useSchemas((state) => state.load)
  const functions = useRun((state) => state.functions)
  const calls = useProject((state) => state.project?.manifest?.calls) ?? []
  const names = [
    ...(load?.operators ?? []).map(operatorKey),
    ...functions.map((item) => item.name),
    ...calls.map((item) => item.op),
  ]
  const known = [...new Set(names)]
  const take = (value: string): void => {
    const wanted = value.trim()
    if (wanted !== '' && wanted !== op) chooseOther(wanted)
  }
  return (
    <>
      <input
        className="mono gc-operator"
        list="gradcheck-operators"
        aria-label="Operator or function"
        title={`${op}\nAny operator (aten::sigmoid, too) or a function of the program`}
        placeholder="operator or function"
        value={text}
        spellCheck={false}
        data-testid="gradcheck-op"
        onChange={(event) => {
          setText(event.target.value)
          if (known.includes(event.target.value)) take(event.target.value)
        }}
        onBlur={() => take(text)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take(text)
          if (event.key === 'Escape') setText(op)
        }}
      />
      <datalist id="gradcheck-operators">
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
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
