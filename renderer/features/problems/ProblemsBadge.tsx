import type { ReactElement } from 'react'

import { CountBadge } from '../../shell/primitives/Badge'
import { useProblems } from '../../store/problems'

export function ProblemsBadge(): ReactElement {
  const problems = useProblems()
  const errors = problems.filter((item) => item.severity === 'error').length
  return (
    <CountBadge
      count={problems.length}
      label={`${errors} errors, ${problems.length} problems`}
      tone={errors > 0 ? 'error' : 'warning'}
      testId="problem-count"
    />
  )
}
