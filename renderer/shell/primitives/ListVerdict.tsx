import type { ReactElement } from 'react'

type Props = {
  /** How many entries the list has. */
  total: number
  /** Outcomes of the sources as they are. */
  outcomes: readonly { asExpected: boolean; verdict: string }[]
  testId: string
}

/** In a list's heading: how its entries came out. Only when all of them ran is it good news. */
export function ListVerdict({ total, outcomes, testId }: Props): ReactElement | null {
  if (outcomes.length === 0) return null
  const wrong = outcomes.filter(({ asExpected }) => !asExpected).length
  const skipped = outcomes.filter(({ verdict }) => verdict === 'skipped').length
  const notRun = total - outcomes.length
  const expected = outcomes.length - wrong - skipped
  const parts = [
    ...(wrong > 0 ? [`${wrong} of ${outcomes.length} not as expected`] : []),
    ...(wrong === 0 && expected > 0 ? [`${expected} as expected`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
  ]
  const isAllGood = expected === total
  return (
    <span
      className={`entry-verdict ${wrong > 0 ? 'tone-error' : isAllGood ? 'tone-ok' : 'muted'}`}
      data-testid={testId}
      data-good={isAllGood}
    >
      {parts.join(', ')}
    </span>
  )
}
