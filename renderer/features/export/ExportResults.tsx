import type { ReactElement } from 'react'

import type { AbiReport } from '../../../electron/contract/export'
import { Button } from '../../shell/primitives/Button'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { Details, ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount, formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { runCommand } from '../../store/commands'
import { formState, type FormProgress } from './store'
import { changesJob, exportJob, useExported, useIsExporting } from './jobs'
import { useJob } from '../../store/job'
import { openExported } from './run'
import { showPanel } from '../../store/layout'
import { useStaleness } from '../../store/staleness'
import { abiRows, countsText, stateMarks } from './form-texts'
import { StepList } from './StepList'

const again = { label: 'Export again', command: 'export.run' }

/** Each form with the steps of its proof, as they are made. */
export function ExportResults(): ReactElement {
  const forms = useExported((exported) => exported.forms)
  const isStopped = useExported((exported) => exported.isStopped)
  const isBusy = useIsExporting()
  const changesError = useJob(changesJob, (state) => state.error)
  const exportError = useJob(exportJob, (state) => state.error)
  const error = changesError ?? exportError
  const stamp = useJob(exportJob, (state) => state.stamp)
  const staleness = useStaleness(stamp, 'run')
  const isOld = !isBusy && staleness !== 'fresh'
  return (
    <>
      {isOld && forms.length > 0 && (
        <StaleBar staleness={staleness} of="export" stamp={stamp} again={again} />
      )}
      {error && (
        <div className="panel-pad">
          <ErrorView error={error} testId="export-error">
            {error.exit && <Button onClick={() => showPanel('host-output')}>Show the crash</Button>}
            {error.code === 'build.required' && (
              <Button onClick={() => showPanel('problems')}>Show the problems</Button>
            )}
            <Button icon="refresh" onClick={() => runCommand('export.run')}>
              Export again
            </Button>
          </ErrorView>
        </div>
      )}
      {forms.length === 0 && !error && <Nothing />}
      <div className={isOld ? 'stale' : ''}>
        {isStopped && !isBusy && (
          <p className="panel-pad muted">
            The export was stopped. The written files are still in the folder. Opsmith has not
            proven the forms that are marked “stopped”.
          </p>
        )}
        {forms.map((progress) => (
          <FormResult key={progress.form} progress={progress} />
        ))}
      </div>
    </>
  )
}

function Nothing(): ReactElement {
  const isBusy = useIsExporting()
  return isBusy ? (
    <EmptyState
      text="Building the project, and recording inputs and results of its calls for the tests of the export …"
      quiet
    />
  ) : (
    <EmptyState
      icon="folder"
      text="Writes complete projects that anyone can build. Opsmith proves each export: Opsmith builds and runs a copy in an empty folder, and compares the results of all calls with the results in Opsmith."
    />
  )
}

type FormResultProps = {
  progress: FormProgress
  /** Its form otherwise. */
  title?: string
  note?: string
  testId?: string
}

/** One form, or one wheel of it, with the steps of its proof. */
export function FormResult({ progress, title, note, testId }: FormResultProps): ReactElement {
  const { form, steps, running, report } = progress
  const name = title ?? form
  const state = useExported((_, isRunning) => formState(progress, isRunning))
  const { word, icon, tone } = stateMarks[state]
  const bad = state === 'failed' ? ' bad' : ''
  const calm = state === 'done' || bad !== '' ? '' : ` export-${state}`
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0)
  return (
    <section
      className="export-result"
      aria-label={name}
      data-testid={testId ?? `export-result-${form}`}
      data-state={state}
    >
      <div className={`verdict-bar${bad}${calm}`} role="status">
        <span className={`verdict-word ${tone}`}>
          {state === 'running' ? <span className="spinner" /> : <Icon name={icon} />}
          <strong className="mono">{name}</strong> {word}
        </span>
        {note !== undefined && <span className="muted">{note}</span>}
        <span>{countsText(steps)}</span>
        {seconds > 0 && <span className="muted number">{formatSeconds(seconds)}</span>}
        <span className="grow" />
        {report !== null && report.directory !== '' && (
          <Button
            icon="folder"
            onClick={() => void openExported(report.directory)}
            title={report.directory}
            testId={`export-open-${form}`}
          >
            Open folder
          </Button>
        )}
      </div>
      {report?.error && (
        <div className="panel-pad">
          <ErrorView error={report.error} testId={`export-form-error-${form}`} />
        </div>
      )}
      <StepList form={form} steps={steps} running={running} />
      {report?.products.map((name) => (
        <p className="side-pad export-product" key={name} data-testid="export-product">
          Built and tested: <span className="mono selectable">{name}</span>
          <CopyButton text={() => `${report.directory}/${name}`} label="Copy the path" />
        </p>
      ))}
      {state === 'failed' && report !== null && report.directory !== '' && (
        <p className="side-pad muted selectable">
          The files that were written are in <span className="mono">{report.directory}</span>.
        </p>
      )}
      {report?.abi && <AbiTable abi={report.abi} />}
      {report !== null && report.files.length > 0 && (
        <div className="side-pad export-files">
          <Details
            label={formatCount(report.files.length, 'file')}
            text={report.files.join('\n')}
          />
        </div>
      )}
    </section>
  )
}

/** What the library asks of the machine that it is loaded on. */
function AbiTable({ abi }: { abi: AbiReport }): ReactElement {
  const rows = abiRows(abi)
  return (
    <div className="export-abi">
      <Section
        title={`Requirements of ${abi.library}`}
        note="ABI.md explains how to load and link the library"
        actions={
          <CopyButton
            text={() => rows.map(([name, value]) => `${name}: ${value}`).join('\n')}
            label="Copy the report"
          />
        }
      >
        <table className="table export-abi-table" data-testid="export-abi">
          <tbody>
            {rows.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="mono selectable">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
    </div>
  )
}
