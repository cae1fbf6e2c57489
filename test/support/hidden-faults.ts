import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import { argument } from '../../electron/contract/manifest'
import { operatorCheckName } from '../../electron/contract/operator-check'
import { root } from './installation'

/** Operators with one fault that the given call alone does not show; right_… does the same without it. */
export const hiddenProject = path.join(root, 'test/cases/operator-checks/hidden_faults')

const expectation = z.object({
  /** What is wrong, in a few words. */
  wrong: z.string(),
  /** The check that finds it. */
  check: operatorCheckName,
  args: z.array(argument).default(['x']),
})
const expected = z.record(z.string(), expectation)

export type HiddenFault = z.infer<typeof expectation> & { op: string; right: string }

export const hiddenFaults: HiddenFault[] = Object.entries(
  expected.parse(JSON.parse(fs.readFileSync(path.join(hiddenProject, 'expected.json'), 'utf8'))),
).map(([op, fault]) => ({ op, right: op.replace('::', '::right_'), ...fault }))
