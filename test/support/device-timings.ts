import { timingInput } from '../../electron/contract/timing-entry'
import type { TimingRequest } from '../../electron/contract/timing-report'

/** A timing of a call on one input, which lasts 20 ms. */
export const onInput = (op: string, input: object): TimingRequest => ({
  op,
  args: ['y'],
  builds: [],
  seconds: 0.02,
  inputs: { y: timingInput.parse(input) },
})

/** A timing of an operator of test/cases/timing/device whose work takes so many microseconds. */
export const requestOf = (op: string, microseconds: number, more = {}): TimingRequest => ({
  op: `test_device::${op}`,
  args: ['x', microseconds],
  builds: [],
  seconds: 0.05,
  ...more,
})
