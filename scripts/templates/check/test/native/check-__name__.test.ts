import { describe, expect, it } from 'vitest'

import type { OperatorCheckFinding } from '../../electron/contract/operator-check'
import { loadAddon } from './fixture'

async function check(op: string): Promise<OperatorCheckFinding | undefined> {
  const inputs = { x: { shape: [2, 2], values: [-1, 2, 3, 4] } }
  const request = { op, args: ['x'], inputs, checks: ['__snake__' as const] }
  return (await loadAddon().call('operatorCheck.run', request)).findings[0]
}

describe('the operator check __snake__', () => {
  it('an operator with finite outputs passes', async () => {
    expect(await check('aten::neg')).toMatchObject({ check: '__snake__', status: 'passed' })
  })

  it('an operator with an output that is not finite fails', async () => {
    expect(await check('aten::log')).toMatchObject({ status: 'failed', output: 0 })
  })
})
