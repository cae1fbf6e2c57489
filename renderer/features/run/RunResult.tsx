import { useEffect, useRef, type ReactElement } from 'react'

import type { RunReport } from '../../../electron/contract/run'
import { Button } from '../../shell/primitives/Button'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { useLasting } from '../../shell/primitives/lasting'
import { Section } from '../../shell/primitives/Section'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { runCommand } from '../../store/commands'
import { useBuild } from '../../store/build'
import { useHost } from '../../store/host'
import { showPanel } from '../../store/layout'
import { useJob } from '../../store/job'
import { useIsRefreshDue } from '../../store/loop'
import { useStaleness } from '../../store/staleness'
import { runJob, type Called } from './job'
import { refreshOrder, useRun, type StoppedRun } from './run'
import { showTensor, useShown } from './shown'
import { ComparisonView } from './ComparisonView'
import { OutputRow } from './OutputRow'
import { TensorView } from './TensorView'

const again = { label: 'Run', command: 'run.go' }

export function RunResult(): ReactElement | null {
  const { value, error, stamp, running } = useJob(runJob, (state) => state)
  const lasts = useLasting(running !== null)
  const values = useValues()
  const staleness = useStaleness(stamp, 'run')
  const place = useRef<HTMLDivElement>(null)
  const stopped = useRun((state) => state.stopped)
  const asked = useRun((state) => state.asked)
  const shownFor = useRef(asked)
  useEffect(() => {
    // A run that repeats after a build must not move what the user looks at.
    if (running !== null || (!value && !error && !stopped) || shownFor.current === asked) return
    shownFor.current = asked
    // The field that somebody types in stays where it is; the verdict is in the panel's bar.
    if (isTypingNextTo(place.current)) return
    place.current?.scrollIntoView({ block: 'start' })
  }, [running, value, error, stopped, asked])
  if (!value && !error && !stopped) return null
  const stale = staleness === 'older' || lasts
  return (
    <Section title="Result">
      {!lasts && <StaleBar staleness={staleness} stamp={stamp} again={again} />}
      <div ref={place} className={stale ? 'run-result stale' : 'run-result'}>
        {stopped && <Stopped {...stopped} />}
        {error && (
          <ErrorView error={error} testId="run-error">
            {error.exit && <Button onClick={() => showPanel('host-output')}>Show the crash</Button>}
            {(error.code === 'build.required' || error.exit) && (
              <Button icon="play" onClick={() => runCommand('build.run')}>
                Build
              </Button>
            )}
          </ErrorView>
        )}
        {value && <Report report={value.report} otherCall={value.otherCall} values={values} />}
      </div>
    </Section>
  )
}

/** `kept`: the op host that held the values has ended, and the call is about to be repeated in the next one. */
type Values = 'there' | 'kept' | 'gone'

/** Whether the op host still has the values of the result. What was gone once is gone until there is another result. */
function useValues(): Values {
  const value = useJob(runJob, (state) => state.value)
  const generation = value?.generation ?? 0
  const isRunning = useJob(runJob, ({ running }) => running !== null)
  const isBuilding = useBuild(({ running }) => running !== null)
  const isDue = useIsRefreshDue(refreshOrder)
  const repeats = useRun((state) => state.repeats)
  const isLeft = useHost(
    ({ host }) =>
      generation < 0 || (host !== null && generation !== 0 && host.generation !== generation),
  )
  const isRepeated = isRunning || (repeats && (isBuilding || isDue))
  const isKept = generation > 0 && isRepeated
  const gone = useRef<Called | null>(null)
  useEffect(() => {
    if (isLeft && !isKept) gone.current = value
  }, [isLeft, isKept, value])
  if (!isLeft) return 'there'
  return isKept && gone.current !== value ? 'kept' : 'gone'
}

/** The keyboard is in a field of the form that scrolls with the result. */
function isTypingNextTo(result: Element | null): boolean {
  const field = document.activeElement
  return (
    field?.matches('input, select, textarea') === true &&
    field.closest('.scroll')?.contains(result) === true
  )
}

/** Where a call was that took too long is as good to know as its result. */
function Stopped({ message, place }: StoppedRun): ReactElement {
  return (
    <p role="status" data-testid="run-stopped">
      <Icon name="stop" /> {message} {place && <FileLink file={place.file} line={place.line} />}
    </p>
  )
}

type ReportProps = { report: RunReport; otherCall: string | null; values: Values }

function Report({ report, otherCall, values }: ReportProps): ReactElement {
  const shown = useShown(report)
  return (
    <>
      <p className="run-time">
        <span className="number">{formatSeconds(report.seconds)}</span>{' '}
        <span className="muted">one call, without warm-up</span>
      </p>
      {otherCall !== null && (
        <p data-testid="run-not-compared">
          <Icon name="note" /> Not compared: the reference in opsmith.json is for{' '}
          <span className="mono">{otherCall}</span>. To compare this call with a reference, change
          the expression under <em>Reference</em>.
        </p>
      )}
      {report.comparisons.map((comparison, index) => (
        <ComparisonView
          key={index}
          comparison={comparison}
          many={report.outputs.length > 1}
          onJump={() => showTensor(`output ${Math.max(comparison.output, 0)}`, comparison.index)}
          onDifference={() => showTensor(`difference ${index}`, comparison.index)}
        />
      ))}
      {report.referenceError !== undefined && (
        <ErrorView
          error={{ code: 'program.compile', message: 'The reference could not be evaluated.' }}
          testId="run-reference-error"
        >
          {/* TorchScript's message: a sentence, and the expression with a mark under the place. */}
          <pre className="selectable">{report.referenceError.trim()}</pre>
        </ErrorView>
      )}
      {report.outputs.length === 0 && <p className="muted">The call returned nothing.</p>}
      {report.outputs.map((value, index) => (
        <OutputRow
          key={index}
          name={report.outputs.length > 1 ? `output ${index}` : 'output'}
          index={index}
          value={value}
          selected={shown.key === `output ${index}`}
          onSelect={() => showTensor(`output ${index}`)}
        />
      ))}
      {shown.tensor && values !== 'gone' && (
        <TensorView
          key={shown.key}
          shown={{ ...shown, tensor: shown.tensor }}
          isGone={values !== 'there'}
        />
      )}
      {values === 'gone' && (
        <p className="muted" role="status">
          The values are gone: the process that held them has exited. Run again to see them.
        </p>
      )}
      <InputRows report={report} shown={shown.key} />
    </>
  )
}

type InputRowsProps = { report: RunReport; shown: string }

/** What the call was given, as it was after the call: an operator may have written to it. */
function InputRows({ report, shown }: InputRowsProps): ReactElement | null {
  if (report.inputs.length === 0) return null
  return (
    <details className="details">
      <summary>Inputs of this run</summary>
      {report.inputs.map((input) => (
        <OutputRow
          key={input.name}
          name={input.name}
          index={null}
          value={input.value}
          selected={shown === `input ${input.name}`}
          onSelect={() => showTensor(`input ${input.name}`)}
        />
      ))}
    </details>
  )
}
