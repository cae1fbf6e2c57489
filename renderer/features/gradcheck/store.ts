import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type {
  GradcheckOutcome,
  GradcheckPoint,
  GradcheckReport,
} from '../../../electron/contract/gradcheck'
import { emptyDraft, type GradcheckDraft } from './case'

/** An entry of opsmith.json's `gradchecks`, and the sources it was made from. */
export type StampedOutcome = { outcome: GradcheckOutcome; stamp: string }

/** What the panel holds beside the work of jobs.ts. */
export type GradcheckState = {
  /** By position in opsmith.json. */
  outcomes: Record<number, StampedOutcome>
  /** The entry that the fields were filled from, while they still say the same. */
  entry: number | null
  draft: GradcheckDraft
  history: GradcheckPoint[]
  /** The finding whose Jacobian is looked at. */
  finding: number | null
}

export const gradcheckStore = createStore<GradcheckState>(() => ({
  outcomes: {},
  entry: null,
  draft: emptyDraft(),
  history: [],
  finding: null,
}))

export function useGradcheck<T>(select: (state: GradcheckState) => T): T {
  return useStore(gradcheckStore, select)
}

/** The finding to look at first: the worst that failed, else the first with a Jacobian. */
export function firstFinding(report: GradcheckReport): number | null {
  const seen = report.findings.map((finding, index) => ({ finding, index }))
  const drawn = seen.filter(({ finding }) => finding.error !== undefined)
  const failed = drawn.filter(({ finding }) => finding.status === 'failed')
  const worst = failed.sort(
    (a, b) => (b.finding.worst?.absolute ?? 0) - (a.finding.worst?.absolute ?? 0),
  )
  return (worst[0] ?? drawn[0])?.index ?? null
}

/**
 * The finding to look at in a newer report: the same Jacobian stays in view over an edit, unless it
 * tells less than another one now.
 */
export function keptFinding(
  chosen: number | null,
  before: GradcheckReport | null,
  report: GradcheckReport,
): number | null {
  const first = firstFinding(report)
  if (chosen === null) return first
  const now = report.findings[chosen]
  const isSame = now?.check === before?.findings[chosen]?.check && now?.error !== undefined
  return isSame && (now.status === 'failed' || report.ok) ? chosen : first
}
