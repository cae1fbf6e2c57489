import type { ReactElement } from 'react'

import { BusyBadge, CountBadge } from '../../shell/primitives/Badge'
import { earlierTime } from '../../store/files'
import { useJob } from '../../store/job'
import { formState } from './store'
import { exportJob, useExported, useIsExporting } from './jobs'

export function ExportBadge(): ReactElement {
  const exporting = useIsExporting()
  // What failed in an earlier session counts for nothing until it is exported again.
  const isEarlier = useJob(exportJob, ({ stamp }) => earlierTime(stamp) !== null)
  const failed = useExported(({ forms }, isRunning) =>
    isEarlier ? 0 : forms.filter((form) => formState(form, isRunning) === 'failed').length,
  )
  if (exporting) return <BusyBadge label="exporting" />
  return <CountBadge count={failed} label={`${failed} failed`} />
}
