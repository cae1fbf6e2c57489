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
        <Switch name="fast_mode" label="fast mode" title="One random projection of the Jacobian" />
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
  if (text.trim() === '' || !Number.isFinite(value)) return { problem: 'a number, such as 1e-6' }
  if (positive && value <= 0) return { problem: 'larger than 0' }
  return value < 0 ? { problem: 'not negative' } : { value }
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
      title="The dtype of every floating or complex input, instead of its own"
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
        <option value="">as inputs</option>
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
    <label className="check" title="gradgradcheck: gradients of gradients">
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
    <Switch name="check_fwd_over_rev" label="forward mode" title="Forward over reverse" />
  ) : (
    <Switch name="check_forward_ad" label="forward mode" title="Forward-mode differentiation too" />
  )
}

function MoreOptions(): ReactElement {
  const secondOrder = useGradcheck((state) => state.draft.secondOrder)
  return (
    <div className="case-options">
      <NumberOption
        name="nondet_tol"
        title="Largest allowed difference between two runs of one backward"
      />
      {secondOrder ? (
        <>
          <Switch name="check_rev_over_rev" label="reverse over reverse" title="" />
          <Switch
            name="gen_non_contig_grad_outputs"
            label="non-contiguous grad outputs"
            title="Gradients of outputs that are not contiguous"
          />
        </>
      ) : (
        <Switch name="check_backward_ad" label="backward" title="The Jacobian by backward" />
      )}
      <Switch
        name="masked"
        label="masked"
        title="Elements that a sparse input does not specify have no gradient"
      />
      <Switch name="check_undefined_grad" label="undefined grad" title="Undefined gradients" />
      <Switch name="check_grad_dtypes" label="grad dtypes" title="Gradients have inputs' dtypes" />
      <Switch name="check_batched_grad" label="batched grad" title="Backward under vmap" />
      <Switch
        name="check_batched_forward_grad"
        label="batched forward grad"
        title="Forward mode under vmap; needs forward mode"
      />
    </div>
  )
}
