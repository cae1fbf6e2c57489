import type { ReactElement } from 'react'

import type { CheckInput, InputSpec } from '../../../electron/contract/manifest'
import { useInputSpecs } from '../../store/inputs'
import { InputChips } from './InputChips'
import { CheckInputForm } from './InputForm'

type Case<Size> = { inputs: Record<string, CheckInput>; sizes: Record<string, Size> }
type Props<Size> = {
  /** The inputs of the call, the project's filled in. */
  inputsOf: (specs: Readonly<Record<string, InputSpec>>) => [string, CheckInput][]
  /** The case's own inputs, and the sizes that shapes name. */
  own: Case<Size>
  /** Of a size that a shape names for the first time. */
  firstSize: Size
  /** Whose they are: "check", "benchmark". */
  owner: string
  /** A shape with a named size, "[B, 8]". */
  example: string
  testId: string
  onEdit: (change: Partial<Case<Size>>) => void
}

/** Inputs whose shapes may name sizes; an edit is the owner's own until it is kept. */
export function SizedInputs<Size>(props: Props<Size>): ReactElement | null {
  const { inputsOf, own, firstSize, owner, example, testId, onEdit } = props
  const specs = useInputSpecs()
  const change = (name: string, next: CheckInput): void => {
    const named = (next.shape ?? []).filter((one) => typeof one === 'string')
    const added = named.filter((one) => own.sizes[one] === undefined)
    onEdit({
      inputs: { ...own.inputs, [name]: next },
      sizes: { ...own.sizes, ...Object.fromEntries(added.map((one) => [one, firstSize])) },
    })
  }
  return (
    <InputChips
      inputs={inputsOf(specs)}
      specs={specs}
      own={own.inputs}
      owner={owner}
      testId={testId}
      form={(name, spec) => (
        <CheckInputForm name={name} spec={spec} onChange={(next) => change(name, next)} />
      )}
      note={
        <span className="muted">
          Your edits apply only to this {owner}; they do not change the inputs of the project. A
          shape may contain names of sizes, such as {example}.
        </span>
      }
      onReset={(name) => {
        const { [name]: _taken, ...others } = own.inputs
        onEdit({ inputs: others })
      }}
    />
  )
}
