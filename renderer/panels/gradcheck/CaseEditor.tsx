import { useState, type ReactElement } from 'react'

import type { GradcheckOptions } from '../../../electron/contract/gradcheck'
import type { InputSpec } from '../../../electron/contract/manifest'
import type { Dtype } from '../../../electron/contract/tensor'
import { IconButton } from '../../shell/primitives/Button'
import { CommitField } from '../../shell/primitives/CommitField'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { Icon } from '../../shell/primitives/Icon'
import { InputForm } from '../../shell/primitives/InputForm'
import { inputMaking, inputSummary } from '../../shell/primitives/input-text'
import { Menu, type MenuItem } from '../../shell/primitives/Menu'
import { commandStore, runCommand, shortcutOf, shortcutText } from '../../store/commands'
import { useGradcheck } from '../../store/gradcheck'
import { inputsNamed, powerText } from '../../store/gradcheck-case'
import {
  chooseOther,
  editDraft,
  editOptions,
  runGradcheck,
  stopGradchecks,
} from '../../store/gradcheck-run'
import { useInputSpecs } from '../../store/inputs'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { useRun } from '../../store/run'
import { operatorKey, useSchemas } from '../../store/schemas'

/** What is checked, and how; a change is checked by itself. */
export function CaseEditor(): ReactElement {
  const [more, setMore] = useState(false)
  return (
    <div className="gc-case" role="group" aria-label="What is checked">
      <CallBar />
      <div className="gc-options">
        <NumberOption name="eps" title="The step of finite differences" />
        <NumberOption name="atol" title="Absolute tolerance" />
        <NumberOption name="rtol" title="Relative tolerance" />
        <DtypeChoice />
      </div>
      <div className="gc-options">
        <Switch name="fast_mode" label="fast mode" title="One random projection of the Jacobian" />
        <SecondOrder />
        <ForwardMode />
        <button
          type="button"
          className="link"
          aria-expanded={more}
          data-testid="gradcheck-more"
          onClick={() => setMore(!more)}
        >
          {more ? 'fewer' : 'more …'}
        </button>
      </div>
      {more && <MoreOptions />}
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

type NumberName = 'eps' | 'atol' | 'rtol' | 'nondet_tol'

function NumberOption({ name, title }: { name: NumberName; title: string }): ReactElement {
  const value = useGradcheck((state) => state.draft.options[name])
  return (
    <span className="gc-option" title={title}>
      <CommitField
        id={`gradcheck-${name}`}
        label={name}
        text={powerText(value)}
        parse={(text) => parseTolerance(text, name === 'eps')}
        onCommit={(next) => editOptions({ [name]: next })}
      />
    </span>
  )
}

function parseTolerance(text: string, positive: boolean): { value: number } | { problem: string } {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return { problem: 'a number, as 1e-6' }
  if (positive && value <= 0) return { problem: 'larger than 0' }
  return value < 0 ? { problem: 'not negative' } : { value }
}

const dtypes = [
  ...(['float64', 'float32', 'float16', 'bfloat16', 'complex128', 'complex64'] as const),
] satisfies Dtype[]

function DtypeChoice(): ReactElement {
  const dtype = useGradcheck((state) => state.draft.dtype)
  return (
    <span className="gc-option" title="Of every floating or complex input, in place of its own">
      <select
        aria-label="dtype"
        id="gradcheck-dtype"
        className="mono"
        value={dtype ?? ''}
        data-testid="gradcheck-dtype"
        onChange={(event) =>
          editDraft({ dtype: dtypes.find((item) => item === event.target.value) ?? null })
        }
      >
        <option value="">as inputs</option>
        {dtypes.map((item) => (
          <option key={item}>{item}</option>
        ))}
      </select>
    </span>
  )
}

type SwitchName = {
  [K in keyof GradcheckOptions]: GradcheckOptions[K] extends boolean ? K : never
}[keyof GradcheckOptions]

type SwitchProps = { name: SwitchName; label: string; title: string }

function Switch({ name, label, title }: SwitchProps): ReactElement {
  const value = useGradcheck((state) => state.draft.options[name])
  return (
    <label className="check" title={title}>
      <input
        type="checkbox"
        checked={value}
        data-testid={`gradcheck-${name}`}
        onChange={(event) => editOptions({ [name]: event.target.checked })}
      />
      {label}
    </label>
  )
}

function SecondOrder(): ReactElement {
  const value = useGradcheck((state) => state.draft.secondOrder)
  return (
    <label className="check" title="gradgradcheck: gradients of gradients">
      <input
        type="checkbox"
        checked={value}
        data-testid="gradcheck-second-order"
        onChange={(event) => editDraft({ secondOrder: event.target.checked })}
      />
      second order
    </label>
  )
}

/** gradgradcheck has a name of its own for it. */
function ForwardMode(): ReactElement {
  const secondOrder = useGradcheck((state) => state.draft.secondOrder)
  return secondOrder ? (
    <Switch name="check_fwd_over_rev" label="forward mode" title="Forward over reverse" />
  ) : (
    <Switch name="check_forward_ad" label="forward mode" title="Forward-mode differentiation too" />
  )
}

function MoreOptions(): ReactElement {
  const secondOrder = useGradcheck((state) => state.draft.secondOrder)
  return (
    <div className="gc-options">
      <NumberOption name="nondet_tol" title="How far two runs of one backward may differ" />
      {secondOrder ? (
        <>
          <Switch name="check_rev_over_rev" label="reverse over reverse" title="" />
          <Switch
            name="gen_non_contig_grad_outputs"
            label="non-contiguous grad outputs"
            title="Gradients of outputs that are not contiguous"
          />
        </>
      ) : (
        <Switch name="check_backward_ad" label="backward" title="The Jacobian by backward" />
      )}
      <Switch name="check_undefined_grad" label="undefined grad" title="Undefined gradients" />
      <Switch name="check_grad_dtypes" label="grad dtypes" title="Gradients have inputs' dtypes" />
      <Switch name="check_batched_grad" label="batched grad" title="Backward under vmap" />
      <Switch
        name="check_batched_forward_grad"
        label="batched forward grad"
        title="Forward mode under vmap; needs forward mode"
      />
    </div>
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
