import { createRuns } from '../../store/runs'

/** Operator checks that are spread over nodes. */
export const operatorCheckRuns = createRuns({
  verb: 'check',
  panel: 'operator-checks',
  id: 'operator-check',
  parts: 'Operators',
})
