import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import { argument } from '../../electron/contract/manifest'
import type { Argument, Manifest } from '../../electron/contract/manifest'
import { operatorCheckName } from '../../electron/contract/operator-check'
import type { OperatorCheckName } from '../../electron/contract/operator-check'
import { root } from '../support/installation'

/** The projects whose operators are wrong, each in one way, beside right ones. */
export const wrongProjects = [
  'gradcheck/wrong_gradients',
  'operator-checks/wrong_operators',
  'gradcheck/crash_in_backward',
].map((folder) => path.join(root, 'test/cases', folder))

const expectation = z.record(
  z.string(),
  z.object({
    /** What is wrong, in a few words; "" of a right operator. */
    wrong: z.string(),
    /** The project's gradcheck of it has them, else it takes x. */
    args: z.array(argument).optional(),
    /** Of `wrong_operators`: the operator checks that must fail, no others. */
    checks: z.array(operatorCheckName).default([]),
    /** Of `wrong_gradients`: what finds it, the check that must fail, and a pattern of its reason. */
    by: z.string().default(''),
    check: z.string().default(''),
    messageMatches: z.string().default(''),
  }),
)

/** An operator of those projects. */
export interface CaseOperator {
  project: string
  op: string
  wrong: string
  args: readonly Argument[] | undefined
  /** Of its operator checks, those that are not made unless they are named. */
  named: OperatorCheckName[]
  /** The operator checks that must fail, no others, and what the first of them says; undefined where it is not known. */
  fails: { checks: readonly string[]; reason: RegExp } | undefined
}

/** Those that expected.json names, without libtorch's own. */
export const caseOperators: CaseOperator[] = wrongProjects.flatMap((project) => {
  const text = fs.readFileSync(path.join(project, 'expected.json'), 'utf8')
  return Object.entries(expectation.parse(JSON.parse(text)))
    .filter(([op]) => op.startsWith(`${path.basename(project)}::`))
    .map(([op, { wrong, args, checks, by, check, messageMatches }]) => {
      const named = checks.filter((one) => one === 'large_sizes')
      const base = { project, op, wrong, args, named }
      if (path.basename(project) === 'wrong_operators') {
        const made = checks.filter((one) => one !== 'large_sizes')
        return { ...base, fails: { checks: made, reason: /./ } }
      }
      const isFound = by === 'operator check'
      return {
        ...base,
        fails: isFound ? { checks: [check], reason: new RegExp(messageMatches) } : undefined,
      }
    })
})

export function argumentsOf(operator: CaseOperator, manifest: Manifest): Argument[] {
  const entry = manifest.gradchecks.find((one) => one.op === operator.op)
  return [...(operator.args ?? entry?.args ?? ['x'])]
}
