import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { DoctorReport, Finding } from '../../electron/contract/doctor'
import type { WorkbenchError } from '../../electron/contract/outcome'
import { call } from '../bridge/bridge'
import { notifyError } from './notifications'
import { currentFolder, currentManifest } from './project'
import { changeSettings } from './settings'

type DoctorState = {
  report: DoctorReport | null
  running: boolean
  error: WorkbenchError | null
}

export const doctorStore = createStore<DoctorState>(() => ({
  report: null,
  running: false,
  error: null,
}))

export function useDoctor<T>(select: (state: DoctorState) => T): T {
  return useStore(doctorStore, select)
}

export async function runDoctor(): Promise<void> {
  if (doctorStore.getState().running) return
  doctorStore.setState({ running: true, error: null })
  const result = await call('doctor.report', { folder: currentFolder() ?? '' })
  if (result.ok) doctorStore.setState({ running: false, report: result.value })
  else doctorStore.setState({ running: false, error: result.error })
}

export function chosenFinding(report: DoctorReport | null, kind: Finding['kind']): Finding | null {
  return report?.findings.find((finding) => finding.kind === kind && finding.chosen) ?? null
}

/** "" lets Opsmith choose. */
export async function chooseTool(
  kind: 'compiler' | 'libtorch',
  path: string,
  scope: 'user' | 'project',
): Promise<void> {
  if (scope === 'user') {
    await changeSettings({ [kind]: path })
  } else {
    const folder = currentFolder()
    if (folder === null) return
    const now = currentManifest()?.toolchain
    const choice = { compiler: now?.compiler ?? '', libtorch: now?.libtorch ?? '', [kind]: path }
    const result = await call('project.setToolchain', { folder, ...choice })
    if (!result.ok) notifyError(result.error)
  }
  await runDoctor()
}
