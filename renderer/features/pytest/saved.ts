import { z } from 'zod'

import { pytestReport, pytestTest, type PytestTest } from '../../../electron/contract/pytest'
import { kept, keptOf, lastPart, restored, restoreJob } from '../../store/earlier-results'
import type { SavedChoice, SavedResults } from '../../store/feature'
import { pytestJob } from './job'
import { pytestStore, setAfterBuild, setRecordsCalls } from './store'

const fields = z.object({ afterBuild: z.boolean(), recordsCalls: z.boolean().default(false) })

export const pytestChoice: SavedChoice = {
  stores: [pytestStore],
  read: () => {
    const { afterBuild, recordsCalls } = pytestStore.getState()
    return afterBuild || recordsCalls ? { afterBuild, recordsCalls } : null
  },
  restore: (saved) => {
    const parsed = fields.safeParse(saved)
    if (!parsed.success) return
    setAfterBuild(parsed.data.afterBuild)
    setRecordsCalls(parsed.data.recordsCalls)
  },
}

/** Characters of the account of a failure, and of what a test printed. */
const longest = 4_000

const run = pytestReport.omit({ tests: true, calls: true }).extend({ onlyList: z.boolean() })
const saved = z.object({ run: z.unknown(), tests: z.array(z.unknown()) })

export const pytestResults: SavedResults = {
  stores: [pytestStore, pytestJob.store],
  read: () => {
    const tests = Object.values(pytestStore.getState().tests)
    if (tests.length === 0) return null
    return {
      run: keptOf(pytestJob),
      tests: tests.map(({ test, stamp }) => {
        return { madeAt: kept(test, stamp).madeAt, value: withShortTexts(test) }
      }),
    }
  },
  restore: (given) => {
    const parsed = saved.safeParse(given)
    if (!parsed.success) return
    restoreJob(pytestJob, run, parsed.data.run)
    const tests = parsed.data.tests.flatMap((item) => {
      const result = restored(pytestTest, item)
      return result ? [[result.value.id, { test: result.value, stamp: result.stamp }] as const] : []
    })
    pytestStore.setState((state) => ({
      tests: { ...Object.fromEntries(tests), ...state.tests },
    }))
  },
}

function withShortTexts(test: PytestTest): PytestTest {
  return { ...test, text: lastPart(test.text, longest), output: lastPart(test.output, longest) }
}
