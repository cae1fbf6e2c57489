import { createRuns } from '../../store/runs'

/** Wheels that workers build. */
export const exportRuns = createRuns({
  verb: 'export',
  panel: 'export',
  id: 'export-wheels',
  parts: 'Wheels',
})
