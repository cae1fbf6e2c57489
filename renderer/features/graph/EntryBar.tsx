import { useState, type ReactElement } from 'react'

import type { GraphForm } from '../../../electron/contract/graph'
import { IconButton } from '../../shell/primitives/Button'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { formatCount } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { MainAction } from '../../shell/primitives/MainAction'
import { Menu, type MenuItem } from '../../shell/primitives/Menu'
import { commandStore, runCommand, shortcutText } from '../../store/commands'
import { changeChoice, formNames, useGraph } from './graph'
import { captureGraph, stopGraph } from './capture'
import { entryArguments, entryOptions, formFor, isOperator } from './graph-entry'
import { closeGraphFile } from './graph-files'
import { useGraphWork } from './jobs'
import { useProject } from '../../store/project'
import { useProgramFunctions } from '../../store/program-functions'
import { useSchemas } from '../../store/schemas'

/** What is captured: the entry, its arguments, the form; and what can be done with the graph. */
export function EntryBar(): ReactElement {
  const { job, startedAt } = useGraphWork()
  const file = useGraph((state) => state.choice.file)
  return (
    <>
      <div className="panel-bar split-bar">
        {file && <FileMark />}
        <span className="grow" />
        <GraphMenu />
        <EnlargeButton panel="graph" />
      </div>
      <div className="panel-bar graph-bar" data-testid="graph-entry-bar">
        <EntryChoice />
        {file?.kind !== 'export' && file?.kind !== 'graph' && <FormChoice />}
        <ArgumentsField />
        <MainAction
          text="Capture"
          title="Captures the graph"
          command="graph.capture"
          job={{ running: job, startedAt }}
          onStart={() => void captureGraph()}
          onStop={() => void stopGraph()}
          testId="graph-capture"
          stopTestId="graph-stop"
        />
      </div>
    </>
  )
}

function FileMark(): ReactElement {
  const file = useGraph((state) => state.choice.file)
  const path = file?.path ?? ''
  const missing = file?.missing ?? []
  return (
    <span className="graph-file" title={path}>
      <Icon name="file" />
      <span className="ellipsis">{path.slice(path.lastIndexOf('/') + 1)}</span>
      {missing.length > 0 && (
        <span
          className="tone-warning"
          title={`These operators of the model are not registered. To run the model, build the project that registers them:\n${missing.join('\n')}`}
        >
          <Icon
            name="warning"
            label={`${formatCount(missing.length, 'operator')} not registered`}
          />
        </span>
      )}
      <IconButton icon="back" label="Back to the project" onClick={closeGraphFile} />
    </span>
  )
}

function EntryChoice(): ReactElement {
  const entry = useGraph((state) => state.choice.entry)
  const form = useGraph((state) => state.choice.form)
  const callIndex = useGraph((state) => state.choice.callIndex)
  // What the options are made of.
  useProgramFunctions()
  useProject((state) => state.project?.manifest)
  useSchemas((state) => state.load)
  useGraph((state) => state.choice.file)
  const groups = entryOptions()
  const value = callIndex === null ? `name ${entry}` : `call ${callIndex}`
  const known = groups.some((group) => group.options.some((option) => option.value === value))
  const choose = (chosen: string): void => {
    const option = groups.flatMap((group) => group.options).find((item) => item.value === chosen)
    if (!option) return
    const { entry: name, callIndex: index } = option
    changeChoice({ entry: name, callIndex: index, argsText: null, step: null })
    changeChoice({ form: formFor(name, form) })
    void captureGraph()
  }
  return (
    <select
      className="graph-entry mono"
      aria-label="Function or operator"
      value={value}
      data-testid="graph-entry"
      onChange={(event) => choose(event.target.value)}
    >
      {!known && (
        <option value={value}>{entry === '' ? 'Choose a function or an operator' : entry}</option>
      )}
      {groups.map((group) => (
        <optgroup key={group.title} label={group.title}>
          {group.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}

const capturedForms: GraphForm[] = ['script', 'trace', 'autograd', 'executed']
const formTitles: Partial<Record<GraphForm, string>> = {
  script: 'The graph from the TorchScript compiler, with control flow',
  trace:
    'The graph that the tracer recorded for these arguments. It has no control flow, and all sizes are constant.',
  autograd: 'The autograd graph of one run: grad_fn nodes, from the outputs to the leaves',
  executed: 'The graph that the profiling executor ran, specialised and fused',
}

function FormChoice(): ReactElement {
  const form = useGraph((state) => state.choice.form)
  const entry = useGraph((state) => state.choice.entry)
  return (
    <select
      className="graph-form"
      aria-label="Form"
      title={formTitles[form]}
      value={form}
      data-testid="graph-form"
      onChange={(event) => {
        changeChoice({ form: event.target.value as GraphForm, step: null })
        void captureGraph()
      }}
    >
      {capturedForms.map((item) => (
        <option key={item} value={item} disabled={item === 'script' && isOperator(entry)}>
          {formNames[item]}
        </option>
      ))}
    </select>
  )
}

function ArgumentsField(): ReactElement | null {
  const choice = useGraph((state) => state.choice)
  useProject((state) => state.project?.manifest)
  useProgramFunctions()
  const [draft, setDraft] = useState<string | null>(null)
  // A script graph depends on no arguments, unless it is run for an overlay.
  if (choice.form === 'script' && choice.overlay === 'none') return null
  if (choice.file?.kind === 'export' || choice.file?.kind === 'graph') return null
  const text = choice.argsText ?? entryArguments()
  const commit = (): void => {
    if (draft === null || draft.trim() === text) {
      setDraft(null)
      return
    }
    changeChoice({ argsText: draft.trim() === '' ? null : draft.trim() })
    setDraft(null)
    void captureGraph()
  }
  return (
    <label className="graph-arguments">
      <span className="muted">on</span>
      <input
        className="mono"
        value={draft ?? text}
        placeholder="no arguments"
        spellCheck={false}
        title="Arguments: names of inputs and literals, separated by commas"
        data-testid="graph-arguments"
        onChange={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit()
          if (event.key === 'Escape') setDraft(null)
        }}
      />
    </label>
  )
}

function GraphMenu(): ReactElement {
  const choice = useGraph((state) => state.choice)
  const item = (id: string, checked?: boolean): MenuItem => {
    const command = commandStore.getState().commands.find((one) => one.id === id)
    return {
      key: id,
      label: command?.title.replace(/^Graph: /, '') ?? id,
      ...(command?.shortcut === undefined ? {} : { note: shortcutText(command.shortcut) }),
      ...(checked === undefined ? {} : { checked }),
      disabled: !(command?.enabled?.() ?? true),
      testId: id,
      run: () => runCommand(id),
    }
  }
  return (
    <Menu
      name="Graph"
      testId="graph-menu"
      align="right"
      label="More"
      sections={[
        [
          item('graph.foldAll'),
          item('graph.unfoldAll'),
          item('graph.foldAlike'),
          item('graph.constants', choice.showConstants),
          item('graph.beside', choice.beside),
        ],
        [item('graph.openFile'), item('graph.compareFile'), item('graph.save')],
        [
          item('graph.exportSvg'),
          item('graph.exportPng'),
          item('graph.exportDot'),
          item('graph.exportJson'),
          item('graph.exportText'),
        ],
      ]}
    />
  )
}
