import type { DoctorReport, Finding } from '../../electron/contract/doctor'
import { deviceText } from '../../electron/contract/gpu-choice'
import type { OperatorDetail } from '../../electron/contract/operators'
import { buildJob, useBuild } from './build'
import { chosenFinding, useDoctor } from './doctor'
import { operatorKey, useSchemas } from './schemas'

/** Doctor's word on the virtual GPU; null while it is not known. */
export function virtualGpuFinding(report: DoctorReport | null): Finding | null {
  return report?.findings.find(({ kind }) => kind === 'virtual-gpu') ?? null
}

const usesVirtualGpu = (report: DoctorReport | null): boolean =>
  chosenFinding(report, 'virtual-gpu') !== null

/** A card whose driver answers; "MIG divides this GPU" is a warning about one that can be used. */
const hasDriver = ({ judgement, version }: Finding): boolean =>
  judgement === 'usable' || (judgement === 'warning' && version !== '')

/** Why no CUDA kernel can be called on this machine; "" where they can, or while it is not known. */
function whyNoCudaCalls(report: DoctorReport | null): string {
  const gpus = report?.findings.filter(({ kind }) => kind === 'gpu') ?? []
  if (gpus.length === 0 || usesVirtualGpu(report)) return ''
  if (gpus.some(hasDriver)) {
    const libtorch = chosenFinding(report, 'libtorch')
    const cuda = libtorch?.facts.find(([name]) => name === 'CUDA')?.[1] ?? ''
    return cuda.startsWith('none') ? 'libtorch is a CPU build' : ''
  }
  return gpus.some(({ judgement }) => judgement === 'warning')
    ? 'the GPU of this machine has no driver'
    : 'there is no CUDA device'
}

/** Where an input can be made, or why not there. */
type DeviceChoice = {
  /** As opsmith.json has it. */
  device: string
  label: string
  /** It is shown, and cannot be chosen. */
  isMissing: boolean
}

function deviceChoices(report: DoctorReport | null): DeviceChoice[] {
  const cpu = { device: 'cpu', label: 'cpu', isMissing: false }
  if (report === null) return [cpu]
  if (usesVirtualGpu(report))
    return [cpu, { device: 'cuda', label: deviceText('cuda', true), isMissing: false }]
  const gpus = report.findings.filter((one) => one.kind === 'gpu' && hasDriver(one))
  const why = whyNoCudaCalls(report)
  if (why !== '' || gpus.length === 0) {
    const label = `cuda: ${why === '' ? 'there is no CUDA device' : why}`
    return [cpu, { device: 'cuda', label, isMissing: true }]
  }
  const cards = gpus.map(({ name }, index) => {
    const device = `cuda:${index}`
    return { device, label: `${device} (${name})`, isMissing: false }
  })
  return [cpu, ...cards]
}

/**
 * The devices of this machine.
 * @param current is one of them, whatever doctor found; "" for none
 */
export function useDeviceChoices(current: string): DeviceChoice[] {
  const report = useDoctor((state) => state.value)
  const choices = deviceChoices(report)
  if (current === '' || choices.some(({ device }) => device === current)) return choices
  const label = deviceText(current, usesVirtualGpu(report))
  return [...choices, { device: current, label, isMissing: false }]
}

/** "cuda:0 (virtual GPU)" where the build in use has its kernels run there. */
export function deviceName(device: string): string {
  const report = buildJob.store.getState().value?.report
  return deviceText(device, report?.virtualDevice !== undefined)
}

/** The same, in what is shown as long as builds come and go. */
export function useDeviceName(): (device: string) => string {
  const isVirtual = useBuild((state) => state.value?.report.virtualDevice !== undefined)
  return (device) => deviceText(device, isVirtual)
}

function isCudaKernel({ dispatchKey }: OperatorDetail['kernels'][number]): boolean {
  return dispatchKey === 'CUDA' || dispatchKey === 'AutogradCUDA'
}

/**
 * A sentence about CUDA kernels that the last build compiled and that cannot be called here; "" where there is
 * nothing to say.
 * @param op the operator that is looked at; left out: all of the project
 */
export function useUncalledCuda(op?: string): string {
  const why = useDoctor((state) => whyNoCudaCalls(state.value))
  const isVirtual = useBuild((state) => state.value?.report.virtualDevice !== undefined)
  const operators = useSchemas((state) => state.load?.operators)
  const compiled = useBuild((state) => {
    const names = state.value?.report.steps.flatMap(({ kernels = [] }) =>
      kernels.map(({ name }) => name),
    )
    return new Set(names).size
  })
  if (why === '' || isVirtual) return ''
  const registered = (operators ?? []).filter(({ kernels }) => kernels.some(isCudaKernel))
  if (op !== undefined) {
    const isOwn = registered.some((one) => operatorKey(one) === op || one.name === op)
    if (isOwn)
      return `The CUDA kernel of this operator was compiled, but this machine cannot call the kernel: ${why}.`
  }
  if (compiled === 0 && registered.length === 0) return ''
  return `The CUDA kernels of this project were compiled, but this machine cannot call the kernels: ${why}.`
}
