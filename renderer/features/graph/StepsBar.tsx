import { useEffect, useRef, type ReactElement } from 'react'

import { graphPass, type GraphForm, type GraphPass } from '../../../electron/contract/graph'
import { Icon } from '../../shell/primitives/Icon'
import { formatCount, formatSeconds } from '../../shell/primitives/format'
import { changeChoice, formNames, passNames, useGraph, type CompareWith } from './graph'
import { useShown } from './jobs'
import { captureGraph, showAgain } from './capture'
import { entryOptions } from './graph-entry'
import { useView } from './view-store'

const passTitles: Record<GraphPass, string> = {
  inline: 'Replaces calls of functions and methods with their bodies',
  constant_propagation: 'Computes the values that depend only on constants',
  common_subexpressions: 'Computes common subexpressions once',
  dead_code: 'Removes unused nodes',
  peephole: 'Simplifies patterns of a few nodes',
  freeze: 'Turns parameters and attributes into constants',
  canonicalize: 'Renumbers the values (%0, %1, …) in the order in which the graph prints them',
  alias_analysis: 'Finds values that may share memory, and nodes that write to them',
}

/** The graph as captured and after each pass; a click shows that step with what it changed. */
export function StepsBar(): ReactElement {
  const file = useGraph((state) => state.choice.file)
  const passes = useGraph((state) => state.choice.passes)
  const fixed = file?.kind === 'export' || file?.kind === 'graph'
  return (
    <div className="panel-bar graph-bar graph-steps" data-testid="graph-steps-bar">
      {!fixed && <Steps />}
      {!fixed && <AddPass />}
      {!fixed && passes.length > 0 && (
        <button type="button" className="link" onClick={() => setPasses([])}>
          Clear
        </button>
      )}
      <CompareChoice />
    </div>
  )
}

function setPasses(passes: GraphPass[]): void {
  changeChoice({ passes, step: null })
  void captureGraph()
}

function Steps(): ReactElement {
  const passes = useGraph((state) => state.choice.passes)
  const report = useShown((shown) => shown?.shot.report ?? null)
  const step = useShown((shown) => shown?.step ?? 0)
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const chip = list.current?.children[step]
    chip?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [step, passes])
  const show = (index: number): void => {
    changeChoice({ step: index === passes.length ? null : index })
    void showAgain()
  }
  const move = (from: number, by: 1 | -1): void => {
    const next = [...passes]
    const [moved] = next.splice(from, 1)
    if (moved === undefined || from + by < 0 || from + by > next.length) return
    next.splice(from + by, 0, moved)
    setPasses(next)
  }
  return (
    <ol className="graph-chips" aria-label="Steps" ref={list}>
      {['captured' as const, ...passes].map((pass, index) => {
        const done = report?.steps[index]
        const title = pass === 'captured' ? 'The graph as captured' : passTitles[pass]
        return (
          <li key={index}>
            {index > 0 && <Icon name="right" />}
            <span className="graph-chip" data-current={index === step}>
              <button
                type="button"
                aria-current={index === step ? 'step' : undefined}
                title={`${title}${done ? `\nResult: ${formatCount(done.nodes, 'node')}. Time: ${formatSeconds(done.seconds)}.` : ''}${done?.note === undefined ? '' : `\n${done.note}`}${pass === 'captured' ? '' : '\nAlt+arrows move the pass, Delete removes the pass'}`}
                data-testid={`graph-step-${index}`}
                onClick={() => show(index)}
                onKeyDown={(event) => {
                  if (pass === 'captured') return
                  if (event.altKey && event.key === 'ArrowLeft') move(index - 1, -1)
                  if (event.altKey && event.key === 'ArrowRight') move(index - 1, 1)
                  if (event.key === 'Delete') setPasses(passes.filter((_, i) => i !== index - 1))
                }}
              >
                {pass === 'captured' ? 'captured' : passNames[pass]}
                {done && <span className="number muted"> {done.nodes.toLocaleString('en')}</span>}
                {done?.note !== undefined && <Icon name="note" label={done.note} />}
              </button>
              {pass !== 'captured' && (
                <button
                  type="button"
                  className="graph-chip-clear"
                  aria-label={`Remove ${passNames[pass]}`}
                  onClick={() => setPasses(passes.filter((_, i) => i !== index - 1))}
                >
                  <Icon name="clear" />
                </button>
              )}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

function AddPass(): ReactElement {
  const passes = useGraph((state) => state.choice.passes)
  return (
    <select
      className="graph-add-pass"
      aria-label="Add a pass"
      value=""
      data-testid="graph-add-pass"
      onChange={(event) => setPasses([...passes, event.target.value as GraphPass])}
    >
      <option value="" disabled>
        + pass
      </option>
      {graphPass.options.map((pass) => (
        <option key={pass} value={pass} title={passTitles[pass]}>
          {passNames[pass]}
        </option>
      ))}
    </select>
  )
}

const forms: GraphForm[] = ['script', 'trace', 'executed']

function CompareChoice(): ReactElement {
  const choice = useGraph((state) => state.choice)
  const compared = useShown((shown) => shown?.compare ?? null)
  const changes = useView((state) => state.shown.main?.changes ?? null)
  const entries = entryOptions()
    .flatMap((group) => group.options)
    .filter((option) => option.callIndex === null && option.entry !== choice.entry)
  const set = (text: string): void => {
    changeChoice({ compare: JSON.parse(text) as CompareWith })
    void showAgain()
  }
  const option = (compare: CompareWith, label: string): ReactElement => (
    <option value={JSON.stringify(compare)}>{label}</option>
  )
  return (
    <span className="graph-compare">
      {compared && changes && <ChangeCounts />}
      <select
        aria-label="Compared with"
        title={
          compared
            ? `Compared with ${compared.title}`
            : 'Choose a graph to compare with. The default is the previous step. For the first step, the default is the previous build.'
        }
        value={JSON.stringify(choice.compare)}
        data-testid="graph-compare"
        onChange={(event) => set(event.target.value)}
      >
        {option({ kind: 'auto' }, 'vs. previous')}
        {option({ kind: 'none' }, 'not compared')}
        {option({ kind: 'build' }, 'vs. previous build')}
        {option({ kind: 'step' }, 'vs. previous step')}
        {choice.compare.kind === 'file' &&
          option(choice.compare, `vs. ${choice.compare.path.split('/').at(-1) ?? ''}`)}
        <optgroup label="The same function, in another form">
          {forms
            .filter((form) => form !== choice.form)
            .map((form) => (
              <option key={form} value={JSON.stringify({ kind: 'form', form })}>
                vs. {formNames[form].toLowerCase()}
              </option>
            ))}
        </optgroup>
        {entries.length > 0 && (
          <optgroup label="Another function">
            {entries.map((item) => (
              <option key={item.value} value={JSON.stringify({ kind: 'entry', entry: item.entry })}>
                vs. {item.entry}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </span>
  )
}

function ChangeCounts(): ReactElement | null {
  const changes = useView((state) => state.shown.main?.changes ?? null)
  if (!changes) return null
  const { added, changed, removed } = changes
  if (added + changed + removed === 0) {
    return (
      <span className="muted" data-testid="graph-changes">
        equal
      </span>
    )
  }
  return (
    <span className="graph-counts number" title={changes.summary} data-testid="graph-changes">
      {added > 0 && <span className="tone-ok">+{added}</span>}
      {changed > 0 && <span className="tone-warning">~{changed}</span>}
      {removed > 0 && <span className="tone-error">−{removed}</span>}
    </span>
  )
}
