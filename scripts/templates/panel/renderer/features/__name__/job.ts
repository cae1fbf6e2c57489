import { ok } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { createJob } from '../../store/job'

/** Counts the operators that are registered, PyTorch's included. */
export const __camel__Job = createJob<null, number>({
  kind: '__name__',
  latest: 'wins',
  run: async () => {
    const listed = await call('registry.list', {})
    return listed.ok ? ok(listed.value.length) : listed
  },
})
