import { createRuns } from '../../store/runs'

/** Timings that are spread over nodes. */
export const timingRuns = createRuns({
  verb: 'bench',
  panel: 'timings',
  id: 'timings',
  parts: 'Points',
})
