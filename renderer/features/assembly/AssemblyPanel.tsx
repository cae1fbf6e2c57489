import { useMemo, type ReactElement } from 'react'

import type {
  AssemblyComparison,
  AssemblyForm,
  AssemblyListing,
  AssemblyReport,
} from '../../../electron/contract/assembly'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { Segmented } from '../../shell/primitives/Segmented'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { assemblyStore, lineWithCode, shownRows, useAssembly, type AssemblyFilter } from './store'
import { listJob, showJob, useListing, useShownFunction } from './jobs'
import { useJob } from '../../store/job'
import { pickFunction, setFollows, showForm } from './run'
import { useBuild } from '../../store/build'
import { shortcutOf } from '../../store/commands'
import { projectPath } from '../../store/files'
import { useStaleness } from '../../store/staleness'
import { AssemblyRows } from './AssemblyRows'
import { CompareBar } from './CompareBar'
import { ComparedRows } from './ComparedRows'
import { compareJob, estimateJob, remarksJob, showRemarks, useComparison } from './extras'
import { Foot } from './Foot'

const formNames: Record<AssemblyForm, string> = { machine: 'Machine', ptx: 'PTX', sass: 'SASS' }

/** The instructions of one function next to its source: same line, same colour. */
export function AssemblyPanel(): ReactElement {
  const filter = useAssembly((state) => state.filter)
  const listing = useListing()
  const shown = useShownFunction()
  const report = shown?.report ?? null
  const listError = useJob(listJob, (state) => state.error)
  const showError = useJob(showJob, (state) => state.error)
  const against = useAssembly((state) => state.against)
  const compareError = useJob(compareJob, (state) => state.error)
  const remarksError = useJob(remarksJob, (state) => state.error)
  const estimateError = useJob(estimateJob, (state) => state.error)
  const error = listError ?? showError ?? compareError ?? remarksError ?? estimateError
  const comparison = useComparison()
  const built = useBuild((state) => state.value?.report.ok === true)
  const staleness = useStaleness(shown?.stamp ?? null, 'build')
  const rows = useMemo(() => (report ? shownRows(report, filter) : []), [report, filter])
  if (!built && listing === null) {
    return (
      <NeedsBuild
        icon="chip"
        text="Shows the instructions of a function, each with its source line. Build the project first."
      />
    )
  }
  return (
    <div className="panel-column assembly-panel" data-testid="assembly-panel">
      <ChoiceBar />
      {staleness !== 'fresh' && <StaleBar staleness={staleness} />}
      {error && (
        <div className="panel-pad">
          <ErrorView error={error} testId="assembly-error" />
        </div>
      )}
      {report ? (
        <>
          <div className="assembly-summary">
            <div className="assembly-name">
              <span
                className="mono selectable"
                title={report.function.name}
                data-testid="assembly-name"
              >
                {report.function.title}
              </span>
              <span className="muted">
                {report.architecture} · {report.tool}
              </span>
              <span className="grow" />
              <CopyButton text={() => textOf(rows)} label="Copy the instructions" />
              <EnlargeButton panel="assembly" />
            </div>
            {comparison ? <Compared comparison={comparison} /> : <Mix />}
            <LineWithoutCode report={report} />
          </div>
          {comparison && against !== '' ? (
            <ComparedRows comparison={comparison} />
          ) : (
            <AssemblyRows report={report} rows={rows} stale={staleness === 'older'} />
          )}
          <Foot report={report} />
        </>
      ) : (
        !error && <EmptyState quiet text={emptyText(listing)} />
      )}
    </div>
  )
}

function emptyText(listing: AssemblyListing | null): string {
  if (listing === null) return 'Reading the library …'
  return listing.functions.length === 0
    ? 'The built library contains no function from this project’s sources. Check "sources" in opsmith.json, then build again.'
    : 'Place the cursor in a function, or choose a function from the list.'
}

function textOf(rows: readonly { kind: string; text: string }[]): string {
  return rows
    .map(({ kind, text }) => (kind === 'instruction' ? `        ${text}` : text))
    .join('\n')
}

function ChoiceBar(): ReactElement {
  const { form, forms, follows, filter, showsRemarks } = useAssembly((state) => state)
  const readsRemarks = useJob(remarksJob, (state) => state.running !== null)
  const listing = useListing()
  const report = useShownFunction()?.report
  const functions = listing?.functions ?? []
  const toggle = (name: keyof AssemblyFilter): void =>
    assemblyStore.setState({ filter: { ...filter, [name]: !filter[name] } })
  const chosen = functions.find(({ id }) => id === report?.function.id)
  return (
    <div className="assembly-bar">
      <select
        aria-label="Function"
        value={chosen?.id ?? ''}
        onChange={(event) => void pickFunction(event.target.value)}
        data-testid="assembly-function"
      >
        {!chosen && <option value="">choose a function</option>}
        {functions.map(({ id, title, file, line, size }) => (
          <option key={id} value={id}>
            {`${title}  ·  ${projectPath(file).path}:${line}${size > 0 ? `  ·  ${size} B` : ''}`}
          </option>
        ))}
      </select>
      <label
        className="check"
        title={`Always show the function at the cursor (${shortcutOf('assembly.cursor')})`}
      >
        <input
          type="checkbox"
          checked={follows}
          onChange={(event) => setFollows(event.target.checked)}
          data-testid="assembly-follow"
        />
        follow the cursor
      </label>
      {forms.length > 0 && (
        <Segmented
          label="Form"
          value={form}
          onChange={(next) => void showForm(next)}
          options={forms.map((one) => ({
            value: one.form,
            label: formNames[one.form],
            whyNot: one.whyNot,
            testId: `assembly-form-${one.form}`,
          }))}
        />
      )}
      <CompareBar />
      <span className="grow" />
      <span className="assembly-filters" role="group" aria-label="Show">
        {(['addresses', 'labels', 'directives', 'inlined'] as const).map((name) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={filter[name]}
              onChange={() => toggle(name)}
              data-testid={`assembly-show-${name}`}
            />
            {name}
          </label>
        ))}
        <label
          className="check"
          title="Shows the optimizations that clang made at each line. If clang could not make an optimization, shows the reason. Opsmith compiles the source again for this."
        >
          <input
            type="checkbox"
            checked={showsRemarks}
            onChange={(event) => showRemarks(event.target.checked)}
            data-testid="assembly-remarks"
          />
          remarks
          {readsRemarks && <span className="spinner" role="status" aria-label="Reading remarks" />}
        </label>
      </span>
    </div>
  )
}

/** How many instructions each of the two has, under the marks of its rows. */
function Compared({ comparison }: { comparison: AssemblyComparison }): ReactElement {
  const { base, other, baseLabel, otherLabel, pairs } = comparison
  const count = ({ mix }: AssemblyReport): number => mix[0]?.count ?? 0
  const changed = pairs.filter(({ same }) => !same).length
  return (
    <div className="assembly-mix" data-testid="assembly-compared-with">
      <span>
        − <span className="mono">{otherLabel}</span>: <span className="number">{count(other)}</span>{' '}
        <span className="muted">instructions</span>
      </span>
      <span>
        + <span className={baseLabel === 'now' ? '' : 'mono'}>{baseLabel}</span>:{' '}
        <span className="number">{count(base)}</span> <span className="muted">instructions</span>
      </span>
      <span className="muted">
        {changed === 0
          ? 'the same instructions'
          : `${changed} ${changed === 1 ? 'row differs' : 'rows differ'}`}
      </span>
    </div>
  )
}

/** The cursor is in a line that no row belongs to. */
function LineWithoutCode({ report }: { report: AssemblyReport }): ReactElement | null {
  const wanted = useAssembly((state) => (state.follows ? state.wanted : null))
  if (!wanted) return null
  const line = lineWithCode(report.rows, wanted)
  if (line === wanted.line) return null
  return (
    <p
      className="muted"
      role="status"
      data-testid="assembly-no-code"
      title="The compiler assigns all code of a macro, such as AT_DISPATCH_ALL_TYPES, to the line where the macro begins."
    >
      {line === null
        ? `Line ${wanted.line} has no instructions in this function.`
        : `Line ${wanted.line} has no instructions of its own. The instructions of line ${line} are selected.`}
    </p>
  )
}

function Mix(): ReactElement {
  const mix = useShownFunction()?.report.mix ?? none
  return (
    <div className="assembly-mix" data-testid="assembly-mix">
      {mix
        .filter(({ count }) => count > 0)
        .map(({ what, count }) => (
          <span key={what}>
            <span className="number">{count}</span> <span className="muted">{what}</span>
          </span>
        ))}
    </div>
  )
}

const none: readonly never[] = []
