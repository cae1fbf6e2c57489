import { ok } from '../../contract/outcome'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall } from './project-job'

type KernelCalls = 'kernels.report' | 'kernels.check'

export const kernelCalls: Handlers<KernelCalls> = {
  'kernels.report': projectCall(async ({ workbench, project }) => {
    const report = await workbench.kernelChecks.all()
    project.noteFiles(report)
    return ok(report)
  }),
  'kernels.check': projectCall(({ workbench }, { isOn }) => {
    workbench.projects.checksKernels = isOn
    return Promise.resolve(nothing)
  }),
}
