import type { ReactElement } from 'react'

import { BusyBadge, CountBadge } from '../../shell/primitives/Badge'
import { formState } from './store'
import { useExported, useIsExporting } from './jobs'

export function ExportBadge(): ReactElement {
  const exporting = useIsExporting()
  const failed = useExported(
    ({ forms }, isRunning) =>
      forms.filter((form) => formState(form, isRunning) === 'failed').length,
  )
  if (exporting) return <BusyBadge label="exporting" />
  return <CountBadge count={failed} label={`${failed} failed`} />
}
