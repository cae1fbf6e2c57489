import { ok } from '../../contract/outcome'
import { curvesOf, occupancyOf } from '../../engine/virtual-gpu/occupancy'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall } from './project-job'

type KernelCalls = 'kernels.reports' | 'kernels.use' | 'kernels.occupancy'

export const kernelCalls: Handlers<KernelCalls> = {
  'kernels.reports': projectCall(async ({ workbench, project }) => {
    const report = await workbench.kernelChecks.all()
    const counts = await workbench.kernelCounts.all()
    project.noteFiles([report, counts])
    return ok({ report, counts })
  }),
  'kernels.use': projectCall(({ workbench }, { variant }) => {
    workbench.projects.kernelVariant = variant
    return Promise.resolve(nothing)
  }),
  'kernels.occupancy': (_session, { architecture, needs }) =>
    Promise.resolve(
      ok({
        occupancy: occupancyOf(architecture, needs),
        curves: curvesOf(architecture, needs),
      }),
    ),
}
