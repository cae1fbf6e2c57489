import type { ReactElement } from 'react'

import { BusyBadge, CountBadge } from '../../shell/primitives/Badge'
import { formState, useExport } from './export'

export function ExportBadge(): ReactElement {
  const exporting = useExport((state) => state.work !== null)
  const failed = useExport(
    (state) => state.forms.filter((form) => formState(state, form) === 'failed').length,
  )
  if (exporting) return <BusyBadge label="exporting" />
  return <CountBadge count={failed} label={`${failed} failed`} />
}
