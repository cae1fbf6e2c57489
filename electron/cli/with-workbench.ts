import { removeLeftovers } from '../engine/builds/leftovers'
import { findInstallation } from '../engine/installation'
import type { Installation } from '../engine/installation'
import { startForkedHost } from '../engine/host/transport'
import { unreadFiles } from '../engine/project/unread-files'
import { findOnPath } from '../engine/toolchain/find-on-path'
import { commandOptions, Workbench } from '../engine/workbench'
import type { WorkbenchOptions } from '../engine/workbench'
import { describeError, forTerminal, progress } from './print'

/** The installation, with a Node for what Electron's cannot run. */
export function commandInstallation(): Installation {
  const found = findInstallation(__dirname)
  const plainNode = found.plainNode === '' ? (findOnPath('node') ?? '') : found.plainNode
  return { ...found, plainNode }
}

/** Runs one verb with the engine, and closes the engine after it. */
export async function withWorkbench(
  action: (workbench: Workbench) => Promise<number>,
  { allowsSandbox }: Pick<WorkbenchOptions, 'allowsSandbox'>,
): Promise<number> {
  const installation = commandInstallation()
  const removing = removeLeftovers(installation)
  const workbench = new Workbench(
    installation,
    startForkedHost,
    {
      // What user code prints goes to stderr: stdout is for the answer.
      onOutput: (_generation, _stream, text) =>
        process.stderr.write(forTerminal(text, process.stderr.isTTY)),
      onBackgroundFailed: (error) => {
        progress(`note: ${describeError(error)}`)
      },
    },
    { ...commandOptions, allowsSandbox },
  )
  await workbench.applySettings()
  for (const sentence of await unreadFiles(installation)) progress(`note: ${sentence}`)
  try {
    return await action(workbench)
  } finally {
    await workbench.close()
    await removing
  }
}
