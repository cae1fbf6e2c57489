import { z } from 'zod'

import { exportForm, exportReport, type ExportReport } from '../../../electron/contract/export'
import { keptOf, lastPart, restored } from '../../store/earlier-results'
import type { SavedChoice, SavedResults } from '../../store/feature'
import { runPlace } from '../../store/runs'
import { exportJob } from './jobs'
import { exportRuns } from './runs'
import { exportStore } from './store'

const fields = z.object({
  chosen: z.array(exportForm).nullable(),
  proof: z.boolean(),
  // Of what an older Opsmith has kept.
  pythons: z.array(z.string()).default([]),
  ...runPlace.shape,
})

/** What is exported, and whether it is proven. */
export const exportChoice: SavedChoice = {
  stores: [exportStore, exportRuns.store],
  read: () => {
    const { chosen, proof, pythons } = exportStore.getState()
    const { where, jobs } = exportRuns.store.getState()
    return { chosen, proof, pythons, where, jobs }
  },
  restore: (saved) => {
    const parsed = fields.safeParse(saved)
    if (!parsed.success) return
    const { where, jobs, ...choice } = parsed.data
    exportStore.setState(choice)
    exportRuns.store.setState({ where, jobs })
  },
}

/** Characters of the log of a step. */
const longest = 4_000

/** An export that came to its end; one that was stopped or failed before says nothing of the forms. */
export const exportResults: SavedResults = {
  stores: [exportJob.store],
  read: () => {
    const ended = keptOf(exportJob)
    const report = ended?.value.report ?? null
    return ended && report ? { madeAt: ended.madeAt, value: withShortLogs(report) } : null
  },
  restore: (saved) => {
    const result = restored(exportReport, saved)
    if (result === null) return
    const report = result.value
    const forms = report.forms.map((form) => {
      return { form: form.form, steps: form.steps, running: null, report: form }
    })
    exportJob.restore({ forms, report, isStopped: false }, result.stamp)
  },
}

function withShortLogs(report: ExportReport): ExportReport {
  const forms = report.forms.map((form) => {
    const steps = form.steps.map((step) => ({ ...step, log: lastPart(step.log, longest) }))
    return { ...form, steps }
  })
  return { ...report, forms }
}
