import { beforeEach, describe, expect, it } from 'vitest'

import type { DoctorReport } from '../../electron/contract/doctor'
import type { OperatorDetail, OperatorSummary } from '../../electron/contract/operators'
import { ok } from '../../electron/contract/outcome'
import { doctorJob, runDoctor } from '../../renderer/store/doctor'
import {
  describeOperator,
  forgetRegistry,
  forgetSelectedOperator,
  operatorJob,
  registryJob,
  registryStore,
} from '../../renderer/store/registry'
import { connectMain, settled } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()

const operator = (name: string, overload = ''): OperatorSummary => ({
  name,
  overload,
  schema: '()',
})
const detail = (name: string): OperatorDetail => {
  return { ...operator(name), arguments: [], returns: [], doc: '', kernels: [] }
}

beforeEach(() => {
  doctorJob.reset()
  forgetRegistry()
  forgetSelectedOperator()
  openInWindow('/project')
})

describe('the list of all operators', () => {
  it('is sorted by name and overload', async () => {
    main.give('registry.list', [operator('b::f'), operator('a::f', 'out'), operator('a::f')])
    await registryJob.run()
    const { value } = registryJob.store.getState()
    expect(value?.map(({ key }) => key)).toEqual(['a::f', 'a::f.out', 'b::f'])
  })

  it('that was asked for before a build is not shown after it', async () => {
    const pending = main.hold('registry.list')
    const older = registryJob.run()
    await settled()
    forgetRegistry()
    const newer = registryJob.run()
    await settled()
    pending.begun[0]?.end(ok([operator('old::f')]))
    pending.begun[1]?.end(ok([operator('new::f')]))
    await Promise.all([older, newer])
    expect(registryJob.store.getState().value?.map(({ key }) => key)).toEqual(['new::f'])
  })

  it('shows the operator that was chosen last, until the project closes', async () => {
    const pending = main.hold('registry.describe')
    const older = describeOperator(operator('a::f'))
    const newer = describeOperator(operator('a::g'))
    await settled()
    pending.begun[1]?.end(ok(detail('a::g')))
    pending.begun[0]?.end(ok(detail('a::f')))
    await Promise.all([older, newer])
    expect(operatorJob.store.getState().value?.name).toBe('a::g')
    forgetRegistry()
    expect(registryStore.getState().selected, 'a build keeps it').toBe('a::g')
    forgetSelectedOperator()
    expect(registryStore.getState().selected).toBeNull()
    expect(operatorJob.store.getState().value).toBeNull()
  })
})

describe('the doctor', () => {
  const report: DoctorReport = {
    ok: true,
    platform: 'test',
    findings: [],
    problems: [],
    seconds: 1,
  }

  it('looks at the machine before any project is open, once at a time', async () => {
    openInWindow(null)
    const pending = main.hold('doctor.report')
    const run = runDoctor()
    await settled()
    await runDoctor()
    expect(pending.begun.map(({ input }) => input)).toEqual([{ folder: '' }])
    openInWindow('/project')
    pending.begun[0]?.end(ok(report))
    await run
    expect(doctorJob.store.getState().value).toEqual(report)
  })

  it('keeps its last report beside an error', async () => {
    main.give('doctor.report', report)
    await runDoctor()
    main.refuse('doctor.report', { code: 'io', message: 'No answer.' })
    await runDoctor()
    expect(doctorJob.store.getState().value).toEqual(report)
    expect(doctorJob.store.getState().error?.code).toBe('io')
  })
})
