import type { ReactElement } from 'react'

import { Button, IconButton } from '../../shell/primitives/Button'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatCount, formatNumber, formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { useShown } from './jobs'
import { runCommand } from '../../store/commands'
import { useDeviceName } from '../../store/cuda'
import { showPanel } from '../../store/layout'
import { operatorKey, useSchemas } from '../../store/schemas'
import { formatBytes } from './format-bytes'
import type { InspectedValue, Inspection, ObservedNode } from './graph-messages'
import { fold, select, useView } from './view-store'

/** All that is known of the selected box. */
export function Inspector(): ReactElement {
  const inspection = useView((state) => state.inspection)
  if (!inspection) return <Overview />
  return (
    <div className="graph-inspector-body" data-testid="graph-inspector" data-kind={inspection.kind}>
      <Head inspection={inspection} />
      {inspection.change && (
        <div className={`graph-inspector-change tone-${tones[inspection.change.kind]}`}>
          <strong>{inspection.change.kind}</strong>
          {inspection.change.words.map((words) => (
            <p key={words} className="selectable">
              {words}
            </p>
          ))}
        </div>
      )}
      {inspection.schema !== '' && (
        <pre className="graph-inspector-schema selectable mono">{inspection.schema}</pre>
      )}
      <Values title="Inputs" values={inspection.inputs} />
      <Values title="Outputs" values={inspection.outputs} />
      {inspection.attributes.length > 0 && <Attributes inspection={inspection} />}
      {inspection.observed && <Observed node={inspection.observed} />}
      {(inspection.scope !== '' || inspection.blocks.length > 0) && (
        <dl className="graph-inspector-list">
          {inspection.scope !== '' && (
            <>
              <dt>module</dt>
              <dd className="mono selectable">{inspection.scope}</dd>
            </>
          )}
          {inspection.blocks.length > 0 && (
            <>
              <dt>inside</dt>
              <dd className="mono selectable">{inspection.blocks.join(' › ')}</dd>
            </>
          )}
        </dl>
      )}
    </div>
  )
}

const tones = { added: 'ok', removed: 'error', changed: 'warning' } as const

/** Nothing is selected: what the graph is. */
function Overview(): ReactElement {
  const shown = useShown((shown) => shown)
  const result = useView((state) => state.shown.main)
  const report = shown?.shot.report
  return (
    <div className="graph-inspector-body muted" data-testid="graph-inspector" data-kind="none">
      {result && (
        <p className="number" data-testid="graph-size">
          {formatCount(result.boxes, 'node')}, {formatCount(result.lines, 'edge')}
          {result.folded > 0 && `, ${formatCount(result.folded, 'group')} collapsed`}
        </p>
      )}
      <p className="number">
        {report && `captured in ${formatSeconds(report.seconds)}`}
        {report && result && ', '}
        {result && `laid out in ${formatSeconds(result.layoutSeconds)}`}
      </p>
      <p>
        Click a node, or go to it with the arrow keys, to see its schema, types and source.
        Shift+click a second node to see the path between the two nodes.
      </p>
    </div>
  )
}

function Head({ inspection }: { inspection: Inspection }): ReactElement {
  const { prefix, title, custom, source, key, size, alike, folded } = inspection
  const operators = useSchemas((state) => state.load?.operators)
  const name = `${prefix}${title}`
  const overload = inspection.schema.slice(0, inspection.schema.indexOf('('))
  const operator =
    operators?.find((item) => operatorKey(item) === overload) ??
    operators?.find((item) => item.name === name)
  const kernel = operator?.kernels.find((item) => item.file !== '')
  return (
    <>
      <div className="graph-inspector-head">
        {custom && (
          <span className="graph-custom-mark" title="An operator of the loaded library">
            <Icon name="dot" label="custom" />
          </span>
        )}
        <h3 className="selectable grow" data-testid="graph-selected">
          <span className="muted">{prefix}</span>
          {title}
        </h3>
        <IconButton
          icon="clear"
          label="Clear the selection (Escape)"
          onClick={() => void select(null)}
        />
      </div>
      <div className="graph-inspector-links" data-testid="graph-links">
        {source && <FileLink file={source.file} line={source.line} column={source.column} short />}
        {kernel && (
          <span>
            <span className="muted">kernel </span>
            <FileLink file={kernel.file} line={kernel.line} short />
          </span>
        )}
        {operator && (
          <button
            type="button"
            className="link"
            onClick={() => {
              showPanel('schemas')
            }}
          >
            Schema
          </button>
        )}
        {operator && (
          <button
            type="button"
            className="link"
            onClick={() => {
              runCommand('run.choose', operatorKey(operator))
            }}
          >
            Run
          </button>
        )}
      </div>
      {size > 1 && (
        <div className="graph-inspector-links">
          <span className="number">{formatCount(size, 'node')}</span>
          <Button onClick={() => void fold('toggle', key)} title="Enter or double click">
            {folded ? 'Expand' : 'Collapse'}
          </Button>
          {alike > 1 && (
            <Button onClick={() => void fold('alike', key)}>
              {folded ? 'Expand' : 'Collapse'} all {alike} groups like this one
            </Button>
          )}
        </div>
      )}
    </>
  )
}

function Values({
  title,
  values,
}: {
  title: string
  values: InspectedValue[]
}): ReactElement | null {
  if (values.length === 0) return null
  return (
    <section aria-label={title}>
      <h4>{title}</h4>
      <ul className="graph-inspector-values">
        {values.map((value, index) => (
          <li key={index}>
            <div className="graph-inspector-value mono">
              {value.argument !== '' && (
                <span className="graph-value-argument">{value.argument}</span>
              )}
              <span className="graph-value-type selectable">{value.constant ?? value.type}</span>
              {value.constant === null && (
                <span className="muted value-name selectable">%{value.name}</span>
              )}
            </div>
            <Others others={value.others} isOutput={title === 'Outputs'} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Producers and users; a few of them, since one value may go to thousands. */
function Others({
  others,
  isOutput,
}: {
  others: InspectedValue['others']
  isOutput: boolean
}): ReactElement | null {
  if (others.length === 0) return null
  const shown = others.slice(0, 12)
  return (
    <div className="graph-inspector-others">
      <span className="muted" aria-hidden="true">
        {isOutput ? '→' : '←'}
      </span>
      {shown.map((other, index) => (
        <button
          key={index}
          type="button"
          className="link"
          title={
            isOutput
              ? 'Go to this node, which uses the value'
              : 'Go to the node that produces the value'
          }
          onClick={() => void select(other.key, { reveal: true })}
        >
          {other.title}
        </button>
      ))}
      {others.length > shown.length && (
        <span className="muted">and {others.length - shown.length} more</span>
      )}
    </div>
  )
}

function Attributes({ inspection }: { inspection: Inspection }): ReactElement {
  return (
    <section aria-label="Attributes">
      <h4>Attributes</h4>
      <dl className="graph-inspector-list">
        {inspection.attributes.map(([name, value]) => (
          <Attribute key={name} name={name} value={value} />
        ))}
      </dl>
    </section>
  )
}

function Attribute({ name, value }: { name: string; value: string }): ReactElement {
  return (
    <>
      <dt className="mono">{name}</dt>
      <dd className="mono selectable graph-inspector-long">{value}</dd>
    </>
  )
}

function Observed({ node }: { node: ObservedNode }): ReactElement {
  const nameOf = useDeviceName()
  return (
    <section aria-label="Observed">
      <h4>Per run</h4>
      <dl className="graph-inspector-list number">
        <dt>time</dt>
        <dd>
          {formatSeconds(node.seconds)} · {(100 * node.share).toFixed(1)} %
          {node.calls !== 1 && ` · ${node.calls} calls`}
        </dd>
        <dt>new memory</dt>
        <dd>{node.bytes === 0 ? 'none' : formatBytes(node.bytes)}</dd>
      </dl>
      {node.values.map((value) => (
        <div key={value.name} className="graph-inspector-observed mono">
          <div>
            %{value.name} {value.dtype} [{value.shape.join(', ')}] {nameOf(value.device)}
          </div>
          <div className="number">
            {value.nan > 0 && <strong className="tone-error">{value.nan} NaN </strong>}
            {value.inf > 0 && <strong className="tone-error">{value.inf} inf </strong>}
            min {formatNumber(value.min)} · mean {formatNumber(value.mean)} · max{' '}
            {formatNumber(value.max)}
          </div>
        </div>
      ))}
    </section>
  )
}
