import { useState, type ReactElement } from 'react'

import { timingDirection } from '../../../electron/contract/timing-names'
import { Button } from '../../shell/primitives/Button'
import { CallFields } from '../../shell/primitives/CallFields'
import { CommitField } from '../../shell/primitives/CommitField'
import { DtypesField } from '../../shell/primitives/DtypesField'
import { MainAction } from '../../shell/primitives/MainAction'
import { MoreOptions } from '../../shell/primitives/MoreOptions'
import { RunFields } from '../../shell/primitives/RunFields'
import { SizedInputs } from '../../shell/primitives/SizedInputs'
import { useJob } from '../../store/job'
import { timingJob } from './jobs'
import { useTimings } from './store'
import {
  timingInputs,
  defaultDirections,
  listText,
  parseSizes,
  parseThreads,
  sizesText,
} from './draft'
import { chooseTimed, editTiming, keepTiming, stopTimings } from './run'
import { measure } from './spread'
import { timingRuns } from './runs'
import { useInputSpecs } from '../../store/inputs'
import { Against } from './Against'

/** What is measured, and how. Nothing starts by itself: measuring takes the whole machine. */
export function TimingCase(): ReactElement {
  return (
    <div className="case-form" role="group" aria-label="Benchmark">
      <CallBar />
      <Against />
      <Options />
      <Inputs />
    </div>
  )
}

function CallBar(): ReactElement {
  const draft = useTimings((state) => state.draft)
  const isRunning = useJob(timingJob, (state) => state.running !== null)
  const isNew = useTimings((state) => state.entry === null && state.draft.op !== '')
  const canKeep = isNew && !isRunning
  return (
    <div className="case-call">
      <CallFields
        id="timings"
        op={draft.op}
        argsText={draft.argsText}
        placeholder="no arguments"
        onChoose={chooseTimed}
        onArguments={(argsText) => editTiming({ argsText })}
      />
      {canKeep && (
        <Button
          icon="plus"
          onClick={() => void keepTiming()}
          title="Adds this benchmark to opsmith.json"
          testId="timings-keep"
        >
          Keep
        </Button>
      )}
      <MeasureButton />
    </div>
  )
}

/** Starts the chosen benchmark, or says how far it is. */
function MeasureButton(): ReactElement {
  const job = useJob(timingJob, (state) => state)
  const hasChosen = useTimings((state) => state.draft.op !== '')
  return (
    <MainAction
      text="Measure"
      title="Measures this benchmark"
      command="timing.run"
      disabled={!hasChosen}
      job={job}
      steps={job.progress}
      onStart={() => void measure()}
      onStop={() => void stopTimings()}
      testId="timings-run"
      stopTestId="timings-stop"
    />
  )
}

function Options(): ReactElement {
  const draft = useTimings((state) => state.draft)
  const specs = useInputSpecs()
  const [more, setMore] = useState(false)
  const directions = draft.directions ?? defaultDirections(draft, specs)
  const isSet = draft.bytes !== '' || draft.flops !== '' || draft.dtypes.length > 0
  const toggle = (one: (typeof directions)[number], on: boolean): void => {
    const next = timingDirection.options.filter((name) =>
      name === one ? on : directions.includes(name),
    )
    if (next.length > 0) editTiming({ directions: next })
  }
  return (
    <>
      <div className="case-options">
        {timingDirection.options.map((one) => (
          <label
            key={one}
            className="check"
            title={one === 'both' ? 'Measures one forward and its backward together' : ''}
          >
            <input
              type="checkbox"
              checked={directions.includes(one)}
              data-testid={`timings-${one}`}
              onChange={(event) => toggle(one, event.target.checked)}
            />
            {one}
          </label>
        ))}
        <label
          className="check"
          title="Also measures with caches that are overwritten before every call, as triton.testing.do_bench does. On a GPU, if a call reads less data than the L2 cache holds, the time also includes the write-back of the cache."
        >
          <input
            type="checkbox"
            checked={draft.cold}
            data-testid="timings-cold"
            onChange={(event) => editTiming({ cold: event.target.checked })}
          />
          also cold caches
        </label>
        <label
          className="check"
          title="Makes new inputs in new memory after every few samples. If this is off, all samples use the same inputs."
        >
          <input
            type="checkbox"
            checked={draft.fresh}
            data-testid="timings-fresh"
            onChange={(event) => editTiming({ fresh: event.target.checked })}
          />
          fresh inputs
        </label>
        <span className="case-option" title="Seconds to measure each row; 0.5 by default">
          <CommitField
            id="timings-seconds"
            label="seconds"
            text={draft.seconds === null ? '' : String(draft.seconds)}
            placeholder="0.5"
            parse={parseSeconds}
            onCommit={(seconds) => editTiming({ seconds })}
          />
        </span>
      </div>
      <div className="case-options">
        <span
          className="case-option case-range"
          title="Named sizes, and the values to time. The benchmark runs once for each value. For example, “N 16..4096” means 16, 32, 64, …, 4096: each value is twice the value before it."
        >
          <CommitField
            id="timings-sizes"
            label="sizes"
            text={sizesText(draft.sizes)}
            placeholder="N 16..4096"
            parse={parseSizes}
            onCommit={(sizes) => editTiming({ sizes })}
          />
        </span>
        <span
          className="case-option case-range"
          title="Numbers of libtorch threads, such as 1 2 4. The benchmark runs once for each number."
        >
          <CommitField
            id="timings-threads"
            label="threads"
            text={listText(draft.threads)}
            placeholder="1"
            parse={parseThreads}
            onCommit={(threads) => editTiming({ threads })}
          />
        </span>
        <RunFields of={timingRuns} />
        {!isSet && (
          <MoreOptions open={more} onToggle={() => setMore(!more)} testId="timings-more" />
        )}
      </div>
      {(isSet || more) && (
        <div className="case-options">
          <DtypesField
            use="Opsmith times the call separately for each dtype in this list."
            id="timings-dtypes"
            dtypes={draft.dtypes}
            onCommit={(dtypes) => editTiming({ dtypes })}
          />
          <FormulaField name="bytes" title="Bytes that one forward moves" />
          <FormulaField name="flops" title="Floating point operations of one forward" />
        </div>
      )}
    </>
  )
}

function FormulaField({ name, title }: { name: 'bytes' | 'flops'; title: string }): ReactElement {
  const text = useTimings((state) => state.draft[name])
  const counted =
    name === 'bytes'
      ? 'bytes of inputs and outputs'
      : 'FLOPs in matrix multiplications, convolutions and attention'
  return (
    <span
      className="case-option case-range"
      title={`${title}: a formula of sizes, such as 2 * N * K or 8 * numel(x). If the field is empty, Opsmith counts the ${counted}.`}
    >
      <CommitField
        id={`timings-${name}`}
        label={name}
        text={text}
        placeholder="counted"
        parse={(next) => ({ value: next.trim() })}
        onCommit={(value) => editTiming({ [name]: value })}
      />
    </span>
  )
}

function parseSeconds(text: string): { value: number | null } | { problem: string } {
  if (text.trim() === '') return { value: null }
  const value = Number(text)
  return value > 0 && value <= 600 ? { value } : { problem: 'must be above 0, and at most 600' }
}

function Inputs(): ReactElement | null {
  const draft = useTimings((state) => state.draft)
  return (
    <SizedInputs
      inputsOf={(specs) => timingInputs(draft, specs)}
      own={draft}
      firstSize={firstSweep}
      owner="benchmark"
      example="[N, 8]"
      testId="timings"
      onEdit={editTiming}
    />
  )
}

const firstSweep = [64, 256, 1024, 4096]
