import type { SourcePlace } from '../../../electron/contract/gpu-findings'
import type { Index3 } from '../../../electron/contract/gpu-stepping'
import type { Argument, InputSpec } from '../../../electron/contract/manifest'
import { call } from '../../bridge/bridge'
import { createJob } from '../../store/job'
import { steppingStore } from './store'

type Input = {
  call: { op: string; args: Argument[]; inputs: Record<string, InputSpec> }
  place: SourcePlace
  block: Index3
}

type Stepped = { hasStopped: boolean; place: SourcePlace }

/** A call whose kernels are stepped. It ends with the call; the newest wish wins. */
export const stepJob = createJob<Input, Stepped>({
  kind: 'step',
  latest: 'wins',
  run: async (input, { folder, job }) => {
    steppingStore.setState({ view: null, isMoving: true })
    const result = await call('step.run', { folder, job, ...input })
    steppingStore.setState({ view: null, isMoving: false })
    return result
  },
})
