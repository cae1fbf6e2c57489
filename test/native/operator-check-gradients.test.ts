import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { operatorCheckName } from '../../electron/contract/operator-check'
import type { OperatorCheckReport } from '../../electron/contract/operator-check'
import { operatorChecks } from '../../electron/contract/operator-checks.generated'
import { argument } from '../../electron/contract/manifest'
import { requestOf } from '../../electron/engine/check/operator-check-case'
import { useCheckedProject } from '../support/checked-project'
import { root } from '../support/installation'

/** Operators whose backward is wrong in one way each, the check that must find it, and right ones. */
const project = path.join(root, 'test/cases/operator-checks/wrong_backward')
const expectation = z.record(
  z.string(),
  z.object({
    wrong: z.string(),
    args: z.array(argument).default(['x']),
    /** Those that fail. */
    checks: z.array(operatorCheckName),
    /** Of a right operator: what is made too, though only when it is asked for. */
    also: z.array(operatorCheckName).default([]),
  }),
)
const expected = expectation.parse(
  JSON.parse(fs.readFileSync(path.join(project, 'expected.json'), 'utf8')),
)
const ofGradients = operatorCheckName.options.filter((name) => /^gradient(s|_(?!lost))/.test(name))
const byDefault = ofGradients.filter((name) => operatorChecks[name].onlyWhenAsked === '')

const { manifest, check } = useCheckedProject(project)

const failures = (report: OperatorCheckReport): string[] =>
  report.findings.filter(({ status }) => status === 'failed').map((finding) => finding.check)

describe('gradients of operators', () => {
  const wrong = Object.entries(expected).filter(([, one]) => one.wrong !== '')
  const right = Object.entries(expected).filter(([, one]) => one.wrong === '')

  it.each(wrong)('the checks find what is wrong with %s', async (op, { args, checks }) => {
    const report = await check(op, args, { checks: ['gradients', ...checks] })
    expect(failures(report), JSON.stringify(report.findings)).toEqual(checks)
    const finding = report.findings.find(({ status }) => status === 'failed')
    expect(finding?.reason).not.toBe('')
    expect(finding?.shownCase).toBeDefined()
  })

  it.each(right)('nothing is wrong with the gradients of %s', async (op, { args, also }) => {
    const report = await check(op, args, { checks: [...byDefault, ...also] })
    expect(failures(report), JSON.stringify(report.findings)).toEqual([])
    expect(report.findings.find((one) => one.check === 'gradients')?.status).toBe('passed')
    for (const name of also)
      expect(report.findings.find((one) => one.check === name)?.status).toBe('passed')
  })

  it('every wrong operator is found by default, or by a check that --thorough makes', () => {
    expect(wrong.length).toBeGreaterThanOrEqual(25)
    const entry = { op: 'f::f', args: ['x'] }
    const { request, left } = requestOf(entry, {})
    const thorough = requestOf(entry, {}, { thorough: true })
    for (const [op, { checks }] of wrong) {
      for (const name of checks) {
        if (request?.checks?.includes(name)) continue
        expect(left.find((one) => one.check === name)?.reason, op).toContain('--thorough')
        expect(thorough.request?.checks).toContain(name)
      }
    }
  })

  it('what only gradients can show again is not said twice', async () => {
    const report = await check('wrong_backward::blocks_of_eight', ['x'], { checks: byDefault })
    expect(failures(report)).toEqual(['gradients'])
    const values = report.findings.find((one) => one.check === 'gradient_values')
    expect(values).toMatchObject({ status: 'skipped' })
  })

  it('operators without a gradient have no gradient checked', async () => {
    const inputs = {
      x: { ...manifest().inputs['x']!, dtype: 'int64', requires_grad: false } as const,
    }
    const report = await check('aten::neg', ['x'], {
      checks: byDefault,
      inputs: { x: { ...inputs.x, distribution: 'randint' } },
    })
    expect(report.findings.every(({ status }) => status === 'skipped')).toBe(true)
  })
})
