import { useEffect, useMemo, useReducer, useRef, useState, type ReactElement } from 'react'

import type { CheckedReport, GradcheckFinding } from '../../../electron/contract/gradcheck'
import type { TensorHandle } from '../../../electron/contract/tensor'
import { Button, IconButton } from '../../shell/primitives/Button'
import { exactNumber, formatCount } from '../../shell/primitives/format'
import { Section } from '../../shell/primitives/Section'
import { Segmented } from '../../shell/primitives/Segmented'
import { gradcheckStore, useGradcheck } from './store'
import { ColourTable, errorScale, jacobianScale } from './colour-table'
import { findingName, tensorName } from './finding-names'
import { centredOn, JacobianMap, type ElementPlace, type MapViewport } from './JacobianMap'
import { JacobianTiles } from './jacobian-tiles'

type Drawn = GradcheckFinding & Record<Kind, TensorHandle>
type Kind = 'analytical' | 'numerical' | 'error'
const kinds: readonly Kind[] = ['analytical', 'numerical', 'error']
/** From this width on, in pixels, all three are next to each other. */
const roomForAll = 620

function isDrawn(finding: GradcheckFinding | undefined): finding is Drawn {
  return Boolean(finding?.analytical && finding.numerical && finding.error)
}

/** The Jacobians of an output and an input, and their difference. */
export function JacobianSection({ report }: { report: CheckedReport }): ReactElement {
  const chosen = useGradcheck((state) => state.finding)
  const finding = chosen === null ? undefined : report.findings[chosen]
  const drawn = report.findings
    .map((item, index) => ({ item, index }))
    .filter((one) => isDrawn(one.item))
  return (
    <Section
      title="Jacobian"
      note={isDrawn(finding) ? shapeText(finding, report) : ''}
      actions={
        drawn.length > 1 && (
          <select
            className="gradcheck-jacobian-choice"
            aria-label="Shown Jacobian"
            value={chosen ?? ''}
            data-testid="gradcheck-jacobian"
            onChange={(event) => gradcheckStore.setState({ finding: Number(event.target.value) })}
          >
            {drawn.map(({ item, index }) => (
              <option key={index} value={index}>
                {item.status === 'failed' ? '✕ ' : ''}
                {findingName(item, report)}
              </option>
            ))}
          </select>
        )
      }
    >
      {isDrawn(finding) ? (
        <Jacobian key={finding.error.handle} finding={finding} report={report} />
      ) : (
        <p className="muted">{whyNone(report)}</p>
      )}
    </Section>
  )
}

function whyNone(report: CheckedReport): string {
  if (report.findings.some((finding) => finding.projected)) {
    return 'Fast mode compares one number instead of the Jacobian. Turn fast mode off to see the Jacobian.'
  }
  return 'No Jacobian was compared.'
}

function shapeText(finding: Drawn, report: CheckedReport): string {
  const { input, output } = tensorsOf(finding, report)
  const [rows = 1, columns = 1] = finding.error.shape
  return `${formatCount(rows, 'element')} of ${input.name} by ${columns.toLocaleString('en')} of ${output.name}`
}

function tensorsOf(
  finding: GradcheckFinding,
  report: CheckedReport,
): { input: { name: string; shape: number[] }; output: { name: string; shape: number[] } } {
  const input = report.inputs[finding.input ?? 0]
  const output = report.outputs[finding.output ?? 0]
  return {
    input: { name: tensorName(report, 'input', finding.input), shape: input?.shape ?? [] },
    output: { name: tensorName(report, 'output', finding.output), shape: output?.shape ?? [] },
  }
}

function tilesOf(finding: Drawn, changed: () => void): Record<Kind, JacobianTiles> {
  const both = new ColourTable(jacobianScale(finding.analytical.stats, finding.numerical.stats))
  const error = new ColourTable(errorScale(finding.error.stats))
  return {
    analytical: new JacobianTiles(finding.analytical, both, changed),
    numerical: new JacobianTiles(finding.numerical, both, changed),
    error: new JacobianTiles(finding.error, error, changed),
  }
}

function Jacobian({ finding, report }: { finding: Drawn; report: CheckedReport }): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  const [loaded, refresh] = useReducer((count: number) => count + 1, 0)
  // All three, shown or not: the readout tells all three values. What nobody asks for is not fetched.
  const tiles = useMemo(() => tilesOf(finding, refresh), [finding])
  useEffect(() => {
    for (const kind of kinds) tiles[kind].open()
    return () => {
      for (const kind of kinds) tiles[kind].close()
    }
  }, [tiles])
  const [wide, setWide] = useState(false)
  const [kind, setKind] = useState<Kind>('error')
  const [viewport, setViewport] = useState<MapViewport | null>(null)
  const [cursor, setCursor] = useState<ElementPlace | null>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => setWide(element.clientWidth >= roomForAll))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const { input, output } = tensorsOf(finding, report)
  // Of what passed it may be a zero that is right: nothing to look at.
  const worst =
    finding.worst && finding.worst.absolute !== 0
      ? {
          row: flatIndex(finding.worst.inputIndex, input.shape),
          column: flatIndex(finding.worst.outputIndex, output.shape),
        }
      : null
  const zoomBy = (factor: number): void => {
    const canvas = box.current?.querySelector('canvas')
    if (!canvas) return
    const [rows = 1, columns = 1] = finding.error.shape
    const fit = Math.min(canvas.clientWidth / columns, canvas.clientHeight / rows)
    const zoom = Math.min(Math.max((viewport?.zoom ?? fit) * factor, fit), 96)
    const middle = { row: (rows - 1) / 2, column: (columns - 1) / 2 }
    setViewport(centredOn(canvas, viewport ? null : middle, viewport, zoom))
  }
  const goToWorst = (): void => {
    const canvas = box.current?.querySelector('canvas')
    if (canvas) setViewport(centredOn(canvas, worst, viewport, Math.max(viewport?.zoom ?? 0, 24)))
    setCursor(worst)
  }
  return (
    <div ref={box}>
      <div className="gradcheck-map-bar">
        {!wide && (
          <Segmented
            label="Shown matrix"
            value={kind}
            onChange={setKind}
            options={kinds.map((value) => ({ value, label: value }))}
          />
        )}
        <span className="grow" />
        {worst && (
          <Button icon="target" onClick={goToWorst} testId="gradcheck-worst">
            Worst
          </Button>
        )}
        <IconButton icon="plus" label="Zoom in (+)" onClick={() => zoomBy(1.6)} />
        <IconButton icon="minus" label="Zoom out (-)" onClick={() => zoomBy(1 / 1.6)} />
        <IconButton icon="enlarge" label="Show all (0)" onClick={() => setViewport(null)} />
      </div>
      <div className="gradcheck-maps">
        {kinds
          .filter((one) => wide || one === kind)
          .map((one) => (
            <JacobianMap
              key={one}
              title={one}
              tensor={finding[one]}
              tiles={tiles[one]}
              loaded={loaded}
              viewport={viewport}
              onViewport={setViewport}
              cursor={cursor}
              onCursor={setCursor}
              worst={worst}
            />
          ))}
      </div>
      <Readout
        place={cursor ?? worst}
        isWorst={cursor === null}
        finding={finding}
        report={report}
        tiles={tiles}
      />
    </div>
  )
}

type ReadoutProps = {
  place: ElementPlace | null
  isWorst: boolean
  finding: Drawn
  report: CheckedReport
  tiles: Record<Kind, JacobianTiles>
}

/** The element under the pointer, every digit. */
function Readout({ place, isWorst, finding, report, tiles }: ReadoutProps): ReactElement {
  const { input, output } = tensorsOf(finding, report)
  useEffect(() => {
    if (place) for (const kind of kinds) tiles[kind].want(place.row, place.column)
  })
  if (!place)
    return (
      <p className="gradcheck-readout muted">
        Click the map, then turn the mouse wheel to zoom. Drag the map to pan.
      </p>
    )
  const value = (kind: Kind): string => {
    const found = tiles[kind].at(place.row, place.column)
    if (found) return found.text ?? exactNumber(found.value)
    const known = isWorst && kind !== 'error' ? finding.worst : undefined
    if (kind === 'analytical' && known) return known.analyticalText
    return kind === 'numerical' && known ? known.numericalText : ''
  }
  return (
    <p
      className="gradcheck-readout number selectable"
      aria-live="polite"
      data-testid="gradcheck-readout"
    >
      <span>
        {isWorst && <span className="muted">worst: </span>}d {output.name}
        {indexText(place.column, output.shape)} / d {input.name}
        {indexText(place.row, input.shape)}
      </span>
      {kinds.map((kind) => {
        const text = value(kind)
        return (
          text !== '' && (
            <span key={kind}>
              <span className="muted">{kind}</span> {text}
            </span>
          )
        )
      })}
    </p>
  )
}

/** Row-major, as tensors are flattened. */
function flatIndex(index: readonly number[], shape: readonly number[]): number {
  return index.reduce((flat, place, dimension) => flat * (shape[dimension] ?? 1) + place, 0)
}

function indexText(flat: number, shape: readonly number[]): string {
  if (shape.length === 0) return ''
  const index: number[] = []
  let rest = flat
  for (const size of [...shape].reverse()) {
    index.unshift(rest % size)
    rest = Math.floor(rest / size)
  }
  return `[${index.join(', ')}]`
}
