import type { TestPlace } from '../../store/feature'
import { openFile } from '../../store/layout'
import { gradientPlace } from './gradient-functions'
import { gradcheckJob } from './jobs'
import { failsInTheCall, placeOf } from './problems'
import { gradcheckStore } from './store'

/** The function that made the wrong gradient of the case that is shown; null while none is wrong, or none is known. */
export function wrongGradientPlace(): TestPlace | null {
  const report = gradcheckJob.store.getState().value?.report
  if (!report || report.ok) return null
  const { op } = gradcheckStore.getState().draft
  const isOfCall = failsInTheCall({ report })
  const made = isOfCall ? null : gradientPlace(op)
  const place = made ?? { name: op, ...placeOf(op, isOfCall) }
  return place.file === '' ? null : place
}

export function goToWrongGradient(): void {
  const place = wrongGradientPlace()
  if (place) openFile(place.file, place.line)
}
