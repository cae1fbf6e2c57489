import { useCallback, useEffect, useId, useMemo, useState, type ReactElement } from 'react'

import {
  occupancyArchitectures,
  type Occupancy,
  type OccupancyCurves,
  type OccupancyPoint,
} from '../../../electron/contract/occupancy'
import { call } from '../../bridge/bridge'
import { Chart } from '../../shell/primitives/Chart'
import { Section } from '../../shell/primitives/Section'
import { Segmented } from '../../shell/primitives/Segmented'
import { notifyError } from '../../store/notifications'
import { knownBlocks, type KnownBlock } from './block-needs'
import { useCompiledKernels } from './KernelsTable'
import { curveChart } from './occupancy-chart'
import { kernelsStore, useKernels } from './store'
import { occupancyText } from './texts'

const noKernel: KnownBlock = { kernel: '', threads: 256, registers: undefined, shared: 0 }

/** How many blocks of a kernel a multiprocessor runs at once, and what would change that. */
export function OccupancySection(): ReactElement {
  const architecture = useKernels((state) => state.architecture)
  const counts = useKernels((state) => state.counts)
  const compiled = useCompiledKernels()
  const [name, setName] = useState('')
  const blocks = useMemo(
    () => knownBlocks(counts, compiled, architecture),
    [counts, compiled, architecture],
  )
  const shown = blocks.find(({ kernel }) => kernel === name) ?? blocks[0] ?? noKernel
  return (
    <Section title="Occupancy" note="calculated">
      <div className="kernels-fields side-pad">
        {blocks.length > 0 && (
          <label>
            Kernel
            <select
              className="mono"
              value={shown.kernel}
              onChange={({ target }) => setName(target.value)}
              data-testid="kernels-occupancy-kernel"
            >
              {blocks.map(({ kernel }) => (
                <option key={kernel}>{kernel}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          Architecture
          <select
            value={architecture}
            onChange={({ target }) => {
              const chosen = occupancyArchitectures.safeParse(target.value)
              if (chosen.success) kernelsStore.setState({ architecture: chosen.data })
            }}
            data-testid="kernels-architecture"
          >
            {occupancyArchitectures.options.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      <BlockForm key={JSON.stringify(shown)} known={shown} />
    </Section>
  )
}

type Answer = { occupancy: Occupancy; curves: OccupancyCurves }
type Texts = { threads: string; registers: string; shared: string }

const wholeNumber = (text: string): number | undefined =>
  /^\d{1,7}$/.test(text.trim()) ? Number(text) : undefined

/** What a block needs, as it is known or as the user tries it. */
function BlockForm({ known }: { known: KnownBlock }): ReactElement {
  const [texts, setTexts] = useState<Texts>({
    threads: String(known.threads),
    registers: known.registers === undefined ? '' : String(known.registers),
    shared: String(known.shared),
  })
  const answer = useOccupancy(texts)
  const set = (more: Partial<Texts>): void => setTexts({ ...texts, ...more })
  return (
    <>
      <div className="kernels-fields side-pad">
        <Field
          label="Threads per block"
          text={texts.threads}
          onText={(threads) => set({ threads })}
        />
        <Field
          label="Registers per thread"
          text={texts.registers}
          empty="not known"
          onText={(registers) => set({ registers })}
        />
        <Field
          label="Shared memory, bytes"
          text={texts.shared}
          onText={(shared) => set({ shared })}
        />
      </div>
      {answer === 'wrong' ? (
        <p className="side-pad muted">Enter integers; a block has 1 to 1024 threads.</p>
      ) : answer === null ? null : (
        <>
          <p className="side-pad" data-testid="kernels-occupancy">
            {occupancyText(answer.occupancy, texts.registers.trim() !== '')}
          </p>
          <Curves curves={answer.curves} texts={texts} />
        </>
      )}
    </>
  )
}

type FieldProps = { label: string; text: string; empty?: string; onText: (text: string) => void }

function Field({ label, text, empty = '', onText }: FieldProps): ReactElement {
  const id = useId()
  return (
    <label htmlFor={id}>
      {label}
      <input
        id={id}
        className="short number"
        inputMode="numeric"
        value={text}
        placeholder={empty}
        onChange={({ target }) => onText(target.value)}
      />
    </label>
  )
}

/** Null until it is known; 'wrong' where the texts are not what a block can need. */
function useOccupancy({ threads, registers, shared }: Texts): Answer | 'wrong' | null {
  const architecture = useKernels((state) => state.architecture)
  const [answer, setAnswer] = useState<Answer | 'wrong' | null>(null)
  useEffect(() => {
    const ofBlock = wholeNumber(threads)
    const bytes = wholeNumber(shared)
    const ofThread = registers.trim() === '' ? undefined : wholeNumber(registers)
    const isWrong = registers.trim() !== '' && ofThread === undefined
    if (!ofBlock || ofBlock > 1024 || bytes === undefined || isWrong) {
      setAnswer('wrong')
      return undefined
    }
    let isWanted = true
    const needs = {
      threads: ofBlock,
      ...(ofThread === undefined ? {} : { registers: ofThread }),
      staticShared: bytes,
      dynamicShared: 0,
    }
    void call('kernels.occupancy', { architecture, needs }).then((given) => {
      if (!isWanted) return
      if (given.ok) setAnswer(given.value)
      else notifyError(given.error)
    })
    return () => {
      isWanted = false
    }
  }, [architecture, threads, registers, shared])
  return answer
}

const curveNames = {
  threads: 'Block size',
  registers: 'Registers',
  sharedMemory: 'Shared memory',
} as const
type CurveName = keyof typeof curveNames

const axisNames: Readonly<Record<CurveName, string>> = {
  threads: 'threads per block',
  registers: 'registers per thread',
  sharedMemory: 'bytes of shared memory per block',
}

function Curves({ curves, texts }: { curves: OccupancyCurves; texts: Texts }): ReactElement {
  const [chosen, setChosen] = useState<CurveName>('threads')
  const hasRegisters = curves.registers.length > 0
  const name = chosen === 'registers' && !hasRegisters ? 'threads' : chosen
  const now = Number({ ...texts, sharedMemory: texts.shared }[name])
  return (
    <div className="side-pad">
      <Segmented
        label="Occupancy over"
        value={name}
        options={(['threads', 'registers', 'sharedMemory'] as const).map((value) => ({
          value,
          label: curveNames[value],
          testId: `kernels-curve-${value}`,
          whyNot: value === 'registers' && !hasRegisters ? 'The registers are not known.' : '',
        }))}
        onChange={setChosen}
      />
      <CurveChart points={curves[name]} axis={axisNames[name]} now={now} />
    </div>
  )
}

type CurveProps = { points: readonly OccupancyPoint[]; axis: string; now: number }

function CurveChart({ points, axis, now }: CurveProps): ReactElement {
  const make = useCallback(
    (element: HTMLElement) => curveChart(element, points, axis, now),
    [points, axis, now],
  )
  const best = Math.max(...points.map(({ occupancy }) => occupancy))
  const reached = points.filter(({ occupancy }) => occupancy === best).map(({ value }) => value)
  return (
    <Chart
      make={make}
      label={`Occupancy over ${axis}. The highest occupancy is ${Math.round(100 * best)} %. The smallest value with this occupancy is ${reached[0] ?? 0}, the largest is ${reached.at(-1) ?? 0}.`}
      testId="kernels-occupancy-chart"
    />
  )
}
