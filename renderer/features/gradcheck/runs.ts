import { createRuns } from '../../store/runs'

/** Gradchecks and searches that are spread over nodes, also those that `opsmith gradcheck --over` has started. */
export const gradcheckRuns = createRuns({
  verb: 'gradcheck',
  panel: 'gradcheck',
  id: 'gradcheck',
  parts: 'Parts',
})

/** The most points that a search may have. */
export const mostPoints = { here: 100_000, elsewhere: 1_000_000 }

export const mostPointsAt = (where: string): number =>
  where === '' ? mostPoints.here : mostPoints.elsewhere
