import { useState, type ReactElement } from 'react'

import type { GradcheckOptions } from '../../../electron/contract/gradcheck'
import type { Dtype } from '../../../electron/contract/tensor'
import { CommitField } from '../../shell/primitives/CommitField'
import { useGradcheck } from './store'
import { powerText } from './case'
import { editDraft, editOptions } from './run'

/** gradcheck's options by torch's names; the ones that are changed most stand first. */
export function CaseOptions(): ReactElement {
  const [more, setMore] = useState(false)
  return (
    <>
      <div className="case-options">
        <NumberOption name="eps" title="The step of finite differences" />
        <NumberOption name="atol" title="Absolute tolerance" />
        <NumberOption name="rtol" title="Relative tolerance" />
        <DtypeChoice />
      </div>
      <div className="case-options">
        <Switch
          name="fast_mode"
          label="fast mode"
          title="Compares one random projection of the Jacobian instead of all elements"
        />
        <SecondOrder />
        <ForwardMode />
        <button
          type="button"
          className="link"
          aria-expanded={more}
          data-testid="gradcheck-more"
          onClick={() => setMore(!more)}
        >
          {more ? 'fewer' : 'more …'}
        </button>
      </div>
      {more && <MoreOptions />}
    </>
  )
}

type NumberName = 'eps' | 'atol' | 'rtol' | 'nondet_tol'

function NumberOption({ name, title }: { name: NumberName; title: string }): ReactElement {
  const value = useGradcheck((state) => state.draft.options[name])
  return (
    <span className="case-option" title={title}>
      <CommitField
        id={`gradcheck-${name}`}
        label={name}
        text={powerText(value)}
        parse={(text) => parseTolerance(text, name === 'eps')}
        onCommit={(next) => editOptions({ [name]: next })}
      />
    </span>
  )
}

function parseTolerance(text: string, positive: boolean): { value: number } | { problem: string } {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value))
    return { problem: 'write a number, such as 1e-6' }
  if (positive && value <= 0) return { problem: 'must be larger than 0' }
  return value < 0 ? { problem: 'must not be negative' } : { value }
}

const dtypes = [
  'float64',
  'float32',
  'float16',
  'bfloat16',
  'complex128',
  'complex64',
] satisfies Dtype[]

function DtypeChoice(): ReactElement {
  const dtype = useGradcheck((state) => state.draft.dtype)
  return (
    <span
      className="case-option"
      title="Converts every floating-point or complex input to this dtype"
    >
      <select
        aria-label="dtype"
        id="gradcheck-dtype"
        className="mono"
        value={dtype ?? ''}
        data-testid="gradcheck-dtype"
        onChange={(event) =>
          editDraft({ dtype: dtypes.find((item) => item === event.target.value) ?? null })
        }
      >
        <option value="">dtypes of inputs</option>
        {dtypes.map((item) => (
          <option key={item}>{item}</option>
        ))}
      </select>
    </span>
  )
}

type SwitchName = {
  [K in keyof GradcheckOptions]: GradcheckOptions[K] extends boolean ? K : never
}[keyof GradcheckOptions]

type SwitchProps = { name: SwitchName; label: string; title: string }

function Switch({ name, label, title }: SwitchProps): ReactElement {
  const value = useGradcheck((state) => state.draft.options[name])
  return (
    <label className="check" title={title}>
      <input
        type="checkbox"
        checked={value}
        data-testid={`gradcheck-${name}`}
        onChange={(event) => editOptions({ [name]: event.target.checked })}
      />
      {label}
    </label>
  )
}

function SecondOrder(): ReactElement {
  const value = useGradcheck((state) => state.draft.secondOrder)
  return (
    <label className="check" title="Checks second-order gradients with gradgradcheck">
      <input
        type="checkbox"
        checked={value}
        data-testid="gradcheck-second-order"
        onChange={(event) => editDraft({ secondOrder: event.target.checked })}
      />
      second order
    </label>
  )
}

/** gradgradcheck has a name of its own for it. */
function ForwardMode(): ReactElement {
  const secondOrder = useGradcheck((state) => state.draft.secondOrder)
  return secondOrder ? (
    <Switch
      name="check_fwd_over_rev"
      label="forward mode"
      title="Also checks forward-over-reverse gradients"
    />
  ) : (
    <Switch
      name="check_forward_ad"
      label="forward mode"
      title="Also checks forward-mode differentiation"
    />
  )
}

function MoreOptions(): ReactElement {
  const secondOrder = useGradcheck((state) => state.draft.secondOrder)
  return (
    <div className="case-options">
      <NumberOption
        name="nondet_tol"
        title="Largest allowed difference between two runs of the same backward"
      />
      {secondOrder ? (
        <>
          <Switch
            name="check_rev_over_rev"
            label="reverse over reverse"
            title="Checks second derivatives by running backward twice, as gradgradcheck does"
          />
          <Switch
            name="gen_non_contig_grad_outputs"
            label="non-contiguous grad outputs"
            title="Passes a non-contiguous grad_output to backward"
          />
        </>
      ) : (
        <Switch
          name="check_backward_ad"
          label="backward"
          title="Checks the Jacobian from backward"
        />
      )}
      <Switch
        name="masked"
        label="masked"
        title="Ignores the gradients of unspecified elements of sparse inputs"
      />
      <Switch
        name="check_undefined_grad"
        label="undefined grad"
        title="Checks that backward treats an undefined grad_output as zero"
      />
      <Switch
        name="check_grad_dtypes"
        label="grad dtypes"
        title="Checks that gradients have the dtypes of their inputs"
      />
      <Switch name="check_batched_grad" label="batched grad" title="Checks backward under vmap" />
      <Switch
        name="check_batched_forward_grad"
        label="batched forward grad"
        title="Checks forward mode under vmap. torch’s gradcheck also requires “forward mode”."
      />
    </div>
  )
}
