import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { SettingsChange } from '../../contract/settings'
import { readSetupEnvironment } from '../../engine/installation'
import { pythonFile } from '../../engine/project-export/wheel-pythons'
import { findLibtorchs } from '../../engine/toolchain/libtorch'
import { findCompilers } from '../../engine/toolchain/compilers'
import { clangdsOnPath } from '../../engine/toolchain/find-clangd'
import type { AppSession } from '../app-session'
import type { ProjectSession } from '../project-session'

type Tool = 'compiler' | 'libtorch' | 'clangd'

const names: Readonly<Record<Tool, string>> = {
  compiler: 'the C++ compiler',
  libtorch: 'libtorch',
  clangd: 'clangd',
}

/**
 * What the user's own PATH and environment name. An environment that merely lies somewhere in the home folder may be part
 * of a folder that nobody has trusted.
 */
async function found(session: AppSession, tool: Tool): Promise<string[]> {
  if (tool === 'compiler') return (await findCompilers()).map(({ path }) => path)
  if (tool === 'clangd') return (await clangdsOnPath()).map(({ path }) => path)
  const { root, cacheFolder } = session.installation
  const setup = readSetupEnvironment(root, cacheFolder).libtorch ?? ''
  return (await findLibtorchs({ chosen: '', setup })).map(({ folder }) => folder)
}

/**
 * Whether the tools that a change of the settings names may be run. Of one that Opsmith did not find main asks the
 * user: its dialog shows what is run, and nothing in the window can press its buttons.
 */
export async function mayUseTools(session: AppSession, change: SettingsChange): Promise<boolean> {
  const now = await session.workbench.projects.settings()
  for (const tool of ['compiler', 'libtorch', 'clangd'] as const) {
    const wanted = change[tool] ?? ''
    if (wanted === '' || wanted === now[tool]) continue
    if ((await found(session, tool)).includes(wanted)) continue
    const pressed = await session.desktop.ask({
      type: 'question',
      message: `Use ${wanted} as ${names[tool]}?`,
      detail:
        'Opsmith runs code from this path for every project that does not choose its own tools. Use this path only if you trust the code at this path.',
      buttons: ['Use it', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
    })
    if (pressed !== 0) return false
  }
  return true
}

/** "python3.12" runs what the user's own PATH has. */
function isPythonOnPath(name: string): boolean {
  return /^python(3(\.\d+)?)?$/.test(name)
}

/**
 * Whether the Pythons that the window names may be run for wheels. Of those that are neither on PATH nor set-up's main
 * asks the user, once for each project that is opened.
 */
export async function mayRunPythons(
  { session, project }: { session: AppSession; project: ProjectSession },
  named: readonly string[],
): Promise<Result<null>> {
  const { root, cacheFolder } = session.installation
  const ours = [process.env['OPSMITH_PYTHON'], readSetupEnvironment(root, cacheFolder).python]
  for (const name of named) {
    const python = pythonFile(name)
    if (isPythonOnPath(name) || ours.includes(python) || project.confirmedPythons.has(python))
      continue
    // It is refused before it is run.
    if (!path.isAbsolute(python)) continue
    const pressed = await session.desktop.ask({
      type: 'question',
      message: `Build and test wheels with ${python}?`,
      detail: 'Opsmith runs this program. Use it only if you trust the code at this path.',
      buttons: ['Use it', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
    })
    if (pressed !== 0)
      return err(
        'request.invalid',
        `You did not confirm ${python}, so Opsmith did not run it and built no wheel.`,
      )
    project.confirmedPythons.add(python)
  }
  return ok(null)
}
