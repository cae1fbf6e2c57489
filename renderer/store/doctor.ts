import type { DoctorReport, Finding } from '../../electron/contract/doctor'
import type { ToolChoice } from '../../electron/contract/tool-choice'
import { call } from '../bridge/bridge'
import { createJob, useJob, type Job, type JobState } from './job'
import { notifyError } from './notifications'
import { currentFolder, currentManifest } from './project'
import { changeSettings } from './settings'

/** The tools that the open project chooses, as text. */
const toolChoice = (): string => JSON.stringify(currentManifest()?.toolchain ?? null)
let choiceInReport = ''

/** Whether there is a report on what the open project would use. */
export function hasReport(): boolean {
  return doctorJob.store.getState().value !== null && choiceInReport === toolChoice()
}

/** Looks at the tools of this machine, and of the project where one is open. */
export const doctorJob: Job<void, DoctorReport> = createJob({
  kind: 'doctor',
  latest: 'refused',
  anyProject: true,
  keepsValue: true,
  run: (_, { folder }) => {
    doctorJob.set({ error: null })
    choiceInReport = toolChoice()
    return call('doctor.report', { folder })
  },
})

export function useDoctor<T>(select: (state: JobState<DoctorReport, null>) => T): T {
  return useJob(doctorJob, select)
}

export async function runDoctor(): Promise<void> {
  await doctorJob.run()
}

export function chosenFinding(report: DoctorReport | null, kind: Finding['kind']): Finding | null {
  return report?.findings.find((finding) => finding.kind === kind && finding.chosen) ?? null
}

/** libtorch or the native addon for it is missing: set-up gets both. */
export function lacksAddon({ findings }: DoctorReport): boolean {
  const has = (kind: Finding['kind']): boolean =>
    findings.some((one) => one.kind === kind && ['usable', 'warning'].includes(one.judgement))
  return !has('addon') || !has('libtorch')
}

/** "" lets Opsmith choose; for one project, it follows the choice for all. */
export async function chooseTools(
  change: Partial<ToolChoice>,
  scope: 'user' | 'project',
): Promise<void> {
  if (scope === 'user') {
    const { gpu = '', ...paths } = change
    await changeSettings({ ...paths, ...(gpu === '' ? {} : { gpu }) })
  } else {
    const folder = currentFolder()
    if (folder === null) return
    const { compiler = '', libtorch = '', gpu = '' } = currentManifest()?.toolchain ?? {}
    const choice: ToolChoice = { compiler, libtorch, gpu, ...change }
    const result = await call('project.setToolchain', { folder, ...choice })
    if (!result.ok) notifyError(result.error)
  }
  await runDoctor()
}
