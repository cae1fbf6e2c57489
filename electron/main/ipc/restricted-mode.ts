import type { AppCallName } from '../../contract/app-calls'

/**
 * What main answers while a folder is open that is not trusted. All other calls are refused: a new call runs
 * nothing of such a folder until somebody has thought about it.
 */
export const restrictedCalls: ReadonlySet<AppCallName> = new Set<AppCallName>([
  'app.info',
  'app.flushed',
  'doctor.report',
  'draft.drop',
  'draft.keep',
  'draft.list',
  'file.create',
  'file.read',
  'file.readExternal',
  'file.write',
  'graph.openFile',
  'graph.readExport',
  'graph.writeFile',
  'host.state',
  'job.cancel',
  'language.state',
  'layout.get',
  'layout.set',
  'lint.project',
  'project.choose',
  'project.close',
  'project.copySample',
  'project.manifestSchema',
  'project.open',
  'project.samples',
  'project.setInputs',
  'project.setToolchain',
  'settings.get',
  'settings.set',
  'trust.answer',
  'trust.forget',
  'trust.list',
])
