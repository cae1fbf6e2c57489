import type { ReactElement } from 'react'

import type { CheckInput, Distribution, InputSpec } from '../../../electron/contract/manifest'
import { distribution } from '../../../electron/contract/manifest-values'
import { dtype, layout, type Dtype, type Layout } from '../../../electron/contract/tensor'
import { useDeviceChoices } from '../../store/cuda'
import { CommitField } from './CommitField'
import { parseNamedShape, parseInputShape, parseValues, valuesText } from './input-text'

type NumberKey = 'low' | 'high' | 'mean' | 'std' | 'seed'

/** The numbers that a distribution reads. */
const parameters: Record<Distribution, readonly NumberKey[]> = {
  randn: ['mean', 'std', 'seed'],
  rand: ['low', 'high', 'seed'],
  randint: ['low', 'high', 'seed'],
  zeros: [],
  ones: [],
  eye: [],
  arange: ['low'],
  linspace: ['low', 'high'],
  full: ['low'],
}

const defaults: Record<NumberKey, string> = {
  low: '0',
  high: '1',
  mean: '0',
  std: '1',
  seed: 'none',
}

type Props = { name: string; spec: InputSpec; onChange: (spec: InputSpec) => void }

/** Every change is kept in opsmith.json when the field is left or Enter is pressed. */
export function InputForm({ name, spec, onChange }: Props): ReactElement {
  return <InputFields name={name} spec={spec} parse={parseInputShape} onChange={onChange} />
}

type CheckProps = { name: string; spec: CheckInput; onChange: (spec: CheckInput) => void }

/** An input of an operator check, whose shape may name sizes. */
export function CheckInputForm({ name, spec, onChange }: CheckProps): ReactElement {
  return <InputFields name={name} spec={spec} parse={parseNamedShape} onChange={onChange} />
}

type FieldsProps<Size extends number | string> = {
  name: string
  spec: Fields<Size>
  parse: (text: string) => { value: Size[] } | { problem: string }
  onChange: (spec: Fields<Size>) => void
}

type Fields<Size> = Omit<InputSpec, 'shape'> & { shape?: Size[] | undefined }

function InputFields<Size extends number | string>({
  name,
  spec,
  parse,
  onChange,
}: FieldsProps<Size>): ReactElement {
  const devices = useDeviceChoices(spec.device)
  const literal = spec.values !== undefined
  const id = (field: string): string => `input-${name}-${field}`
  const setKind = (kind: string): void => {
    if (kind === 'values') {
      onChange({ ...without(spec, ['low', 'high', 'mean', 'std']), values: [0] })
    } else {
      const next = without(spec, ['values', 'low', 'high', 'mean', 'std'])
      onChange({ ...next, shape: spec.shape ?? [1 as Size], distribution: kind as Distribution })
    }
  }
  return (
    <div className="form input-form">
      <label htmlFor={id('kind')}>Values</label>
      <select
        id={id('kind')}
        className="mono"
        value={literal ? 'values' : spec.distribution}
        onChange={(event) => setKind(event.target.value)}
      >
        {distribution.options.map((item) => (
          <option key={item}>{item}</option>
        ))}
        <option value="values">literal values</option>
      </select>
      {literal && (
        <CommitField
          id={id('values')}
          label="Literal"
          text={valuesText(spec.values)}
          multiline
          parse={parseValues}
          onCommit={(values) =>
            onChange({ ...(spec.indices === undefined ? without(spec, ['shape']) : spec), values })
          }
        />
      )}
      {!literal && (
        <CommitField
          id={id('shape')}
          label="Shape"
          text={`[${(spec.shape ?? []).join(', ')}]`}
          parse={parse}
          onCommit={(shape) => onChange({ ...spec, shape })}
        />
      )}
      <label htmlFor={id('dtype')}>Dtype</label>
      <select
        id={id('dtype')}
        className="mono"
        value={spec.dtype}
        onChange={(event) => onChange({ ...spec, dtype: event.target.value as Dtype })}
      >
        {dtype.options.map((item) => (
          <option key={item}>{item}</option>
        ))}
      </select>
      <label htmlFor={id('layout')}>Layout</label>
      <select
        id={id('layout')}
        className="mono"
        value={spec.layout ?? 'strided'}
        onChange={(event) => onChange(withLayout(spec, event.target.value as Layout))}
      >
        {layout.options.map((item) => (
          <option key={item}>{item}</option>
        ))}
      </select>
      {spec.density !== undefined && (
        <CommitField
          id={id('density')}
          label="Density"
          text={String(spec.density)}
          parse={parseDensity}
          onCommit={(density) => onChange({ ...spec, density })}
        />
      )}
      {spec.blocksize !== undefined && (
        <CommitField
          id={id('blocksize')}
          label="Block size"
          text={`[${spec.blocksize.join(', ')}]`}
          parse={parseBlocksize}
          onCommit={(blocksize) => onChange({ ...spec, blocksize })}
        />
      )}
      <label htmlFor={id('device')}>Device</label>
      <select
        id={id('device')}
        className="mono"
        value={spec.device}
        onChange={(event) => onChange({ ...spec, device: event.target.value })}
      >
        {devices.map(({ device, label, isMissing }) => (
          <option key={device} value={device} disabled={isMissing && device !== spec.device}>
            {label}
          </option>
        ))}
      </select>
      {!literal &&
        parameters[spec.distribution].map((key) => (
          <CommitField
            key={key}
            id={id(key)}
            label={labelOf(key, spec.distribution)}
            text={spec[key] === undefined ? '' : String(spec[key])}
            placeholder={defaults[key]}
            parse={key === 'seed' ? parseSeed : parseReal}
            onCommit={(value) =>
              onChange(value === null ? without(spec, [key]) : { ...spec, [key]: value })
            }
          />
        ))}
      <label htmlFor={id('grad')}>Grad</label>
      <label className="check">
        <input
          id={id('grad')}
          type="checkbox"
          checked={spec.requires_grad}
          onChange={(event) => onChange({ ...spec, requires_grad: event.target.checked })}
        />
        requires_grad
      </label>
    </div>
  )
}

function labelOf(key: NumberKey, distribution: Distribution): string {
  if (distribution === 'full' && key === 'low') return 'Value'
  if (distribution === 'arange' && key === 'low') return 'Start'
  return key[0]?.toUpperCase() + key.slice(1)
}

function parseReal(text: string): { value: number | null } | { problem: string } {
  if (text.trim() === '') return { value: null }
  const value = Number(text)
  return Number.isFinite(value) ? { value } : { problem: 'must be a number' }
}

function parseSeed(text: string): { value: number | null } | { problem: string } {
  if (text.trim() === '') return { value: null }
  return /^\d+$/.test(text.trim()) ? { value: Number(text) } : { problem: 'must be an integer' }
}

function parseDensity(text: string): { value: number } | { problem: string } {
  const value = Number(text)
  return text.trim() !== '' && value >= 0 && value <= 1
    ? { value }
    : {
        problem:
          'must be a number from 0 to 1: the fraction of specified elements of the sparse tensor',
      }
}

function parseBlocksize(text: string): { value: [number, number] } | { problem: string } {
  const sizes = parseInputShape(text)
  const [rows = 0, columns = 0, ...rest] = 'value' in sizes ? sizes.value : []
  return rows > 0 && columns > 0 && rest.length === 0
    ? { value: [rows, columns] }
    : { problem: 'write two integers that divide the numbers of rows and columns, such as [2, 2]' }
}

/** A sparse input needs to say which of its elements are specified; the blocked layouts, how large a block is. */
function withLayout<Size>(spec: Fields<Size>, layout: Layout): Fields<Size> {
  if (layout === 'strided') return without(spec, ['layout', 'density', 'indices', 'blocksize'])
  const next: Fields<Size> = { ...without(spec, ['blocksize']), layout }
  if (layout === 'sparse_bsr' || layout === 'sparse_bsc') next.blocksize = spec.blocksize ?? [1, 1]
  if (spec.values === undefined && spec.indices === undefined) next.density = spec.density ?? 0.5
  return next
}

function without<Spec extends object>(spec: Spec, keys: (keyof Spec)[]): Spec {
  const copy = { ...spec }
  for (const key of keys) delete copy[key]
  return copy
}
