import type { ReactElement } from 'react'

import type { OutputValue, TensorStats } from '../../../electron/contract/tensor'
import { Icon } from '../../shell/primitives/Icon'
import { exactNumber, formatNumber } from '../../shell/primitives/format'
import { useDeviceName } from '../../store/cuda'

type Props = {
  name: string
  /** The output's number; null for an input. */
  index: number | null
  value: OutputValue
  selected: boolean
  onSelect: () => void
}

/** What came out, in one glance; a tensor's values are shown when it is chosen. */
export function OutputRow({ name, index, value, selected, onSelect }: Props): ReactElement {
  const nameOf = useDeviceName()
  const testId = index === null ? `run-given-${name}` : `run-output-${index}`
  if (value.kind === 'value') {
    return (
      <div className="run-output" data-testid={testId}>
        <span className="run-output-name mono">{name}</span>
        <span className="muted mono">{value.type}</span>
        <pre className="selectable run-output-text">{value.text}</pre>
      </div>
    )
  }
  return (
    <div className={selected ? 'run-output selected' : 'run-output'} data-testid={testId}>
      <button type="button" className="run-output-head" aria-pressed={selected} onClick={onSelect}>
        <span className="run-output-name mono">{name}</span>
        <span className="mono">
          {value.dtype} [{value.shape.join(', ')}]
        </span>
        <span className="muted mono">{nameOf(value.device)}</span>
        {value.requiresGrad && (
          <span className="badge mono" title={value.gradFn || 'a leaf tensor that requires grad'}>
            <span className="ellipsis">{gradName(value.gradFn)}</span>
          </span>
        )}
      </button>
      <Statistics stats={value.stats} index={index} />
    </div>
  )
}

/** "torch::autograd::CppNode<ns::(anonymous namespace)::Square>" is Square to its author. */
function gradName(gradFn: string): string {
  if (gradFn === '') return 'requires_grad'
  const inner = /CppNode<(.*)>/.exec(gradFn)?.[1] ?? gradFn
  return inner.split('<')[0]?.split('::').at(-1) ?? inner
}

type StatisticsProps = { stats: TensorStats; index: number | null }

function Statistics({ stats, index }: StatisticsProps): ReactElement {
  const infinite = stats.posInf + stats.negInf
  const id = (name: string): string | undefined =>
    index === null ? undefined : `run-stat-${index}-${name}`
  const real = (name: 'min' | 'max' | 'mean' | 'std'): ReactElement => {
    const value = stats[name]
    return (
      <Statistic
        name={name}
        text={formatNumber(value, 6)}
        testId={id(name)}
        {...(value === null ? {} : { title: exactNumber(value) })}
      />
    )
  }
  return (
    <dl className="stats">
      {real('min')}
      {real('max')}
      {real('mean')}
      {real('std')}
      <Statistic name="zeros" text={stats.zeros.toLocaleString('en')} testId={id('zeros')} />
      <Statistic name="count" text={stats.count.toLocaleString('en')} testId={id('count')} />
      <Statistic
        name="nan"
        text={stats.nan.toLocaleString('en')}
        testId={id('nan')}
        bad={stats.nan > 0}
      />
      <Statistic
        name="inf"
        text={infinite.toLocaleString('en')}
        testId={id('inf')}
        bad={infinite > 0}
        title={`${stats.posInf} inf, ${stats.negInf} -inf`}
      />
    </dl>
  )
}

type StatisticProps = {
  name: string
  text: string
  testId: string | undefined
  bad?: boolean
  title?: string
}

function Statistic({ name, text, testId, bad = false, title }: StatisticProps): ReactElement {
  return (
    <div className={bad ? 'stat tone-error' : 'stat'} title={title}>
      <dt>
        {bad && <Icon name="warning" label="warning" />} {name}
      </dt>
      <dd className="number" data-testid={testId}>
        {text}
      </dd>
    </div>
  )
}
