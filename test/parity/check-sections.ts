import { hiddenFaults } from '../support/hidden-faults'
import type { Argument, Manifest } from '../../electron/contract/manifest'
import { operatorChecks } from '../../electron/contract/operator-checks.generated'
import type { OperatorCheckName } from '../../electron/contract/operator-check'
import { opcheckTests } from './python-checks'
import type { PythonCheck, PythonVerdict } from './python-checks'

/** What torch.library.opcheck says of each operator with a hidden fault: one job each. */
export function hiddenJobs(manifest: Manifest): PythonCheck[][] {
  return hiddenFaults.map(({ op, args }) =>
    opcheckTests.map((check) => {
      const call: { args: Argument[]; inputs: Manifest['inputs'] } = {
        args,
        inputs: manifest.inputs,
      }
      return { key: `${op} ${check}`, check, op, ...call, options: {} }
    }),
  )
}

/** They read what lies in freed memory, or are wrong in some calls: what they give is chance. */
const givenByChance = new Set(['hidden_faults::returns_freed_memory'])

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** Of docs/check-parity.md. */
export function hiddenSection(python: ReadonlyMap<string, PythonVerdict>): string {
  const rows = hiddenFaults.map(({ op, wrong, check }) => {
    const failed = opcheckTests.filter((test) => python.get(`${op} ${test}`)?.ok !== true)
    const theirs = givenByChance.has(op) ? '?' : failed.length === 0 ? '✓' : failed.join(', ')
    return { cells: [op.slice(op.indexOf('::') + 2), wrong, theirs, check], theirs }
  })
  const passes = rows.filter(({ theirs }) => theirs === '✓').length
  return `
## Faults that the given call alone does not show

${rows.length} operators, each wrong in one way that shows only elsewhere: in another layout or dtype, at the tail of
a loop, after another call, with more than 2^16 elements, with several threads, under autocast. ${passes} of them pass
torch.library.opcheck. Next to each is a right operator, which passes the same check.

${[line(['operator', 'what is wrong', 'opcheck', 'Opsmith finds it by']), line(['---', '---', '---', '---']), ...rows.map(({ cells }) => line(cells))].join('\n')}
`
}

/** A check that says nothing of an operator. */
export interface Skip {
  op: string
  check: OperatorCheckName | 'all checks'
  reason: string
}

/** How a damaged heap shows differs from run to run. */
function withoutChance(skip: Skip): Skip {
  const { op, reason } = skip
  if (reason.startsWith('the call itself is not safe'))
    return { op, check: 'all checks', reason: 'the call itself is not safe' }
  if (reason.startsWith('with float32'))
    return { ...skip, reason: 'with float32 there is nothing to compare with' }
  return skip
}

/** Of docs/check-parity.md: every skip, by check and reason. */
export function skipsSection(skips: readonly Skip[], operators: number): string {
  const groups = new Map<string, { check: string; reason: string; ops: Set<string> }>()
  for (const { op, check, reason } of skips.map(withoutChance)) {
    const key = `${check} ${reason}`
    const group = groups.get(key) ?? { check, reason, ops: new Set() }
    group.ops.add(op)
    groups.set(key, group)
  }
  const order = Object.keys(operatorChecks)
  const rows = [...groups.values()]
    .sort(
      (a, b) => order.indexOf(a.check) - order.indexOf(b.check) || (a.reason < b.reason ? -1 : 1),
    )
    .map(({ check, reason, ops }) => {
      const names = ops.size === operators ? ['all'] : [...ops].sort()
      return line([check, reason, names.join(', ')])
    })
  return `
## What is skipped, and why

Of the operators above and those of the samples, ${operators} in all.

${[line(['check', 'why', 'operators']), line(['---', '---', '---']), ...rows].join('\n')}
`
}
