import path from 'node:path'

import type { BuildReport } from '../contract/build'
import { manifestFileName } from '../contract/manifest'
import type { Manifest } from '../contract/manifest'
import type { Result } from '../contract/outcome'
import { readManifest } from '../engine/project/read-manifest'
import type { Workbench } from '../engine/workbench'
import { buildAloud, buildJson } from './building'
import { exitCodes } from './exit-codes'
import { printError, printJson, progress } from './print'

interface CheckedProject<Command, Entries> {
  folder: string
  command: Command
  manifest: Manifest
  entries: Entries
  build: BuildReport
}

/**
 * What the commands that check a project begin with: options read, entries of opsmith.json chosen,
 * the project built. A number is an exit code: why it went no further has been printed.
 */
export async function buildToCheck<Command, Entries>(
  workbench: Workbench,
  named: string,
  json: boolean,
  command: Result<Command>,
  select: (manifest: Manifest, command: Command) => Result<Entries>,
): Promise<CheckedProject<Command, Entries> | number> {
  const folder = path.basename(named) === manifestFileName ? path.dirname(named) : named
  if (!command.ok) return printError(command.error, json)
  const manifest = await readManifest(folder)
  if (!manifest.ok) return printError(manifest.error, json)
  const entries = select(manifest.value, command.value)
  if (!entries.ok) return printError(entries.error, json)
  const build = await buildAloud(workbench, folder)
  if (!build.ok) return printError(build.error, json)
  if (!build.value.ok) {
    if (json) printJson({ ok: false, results: [], build: buildJson(build.value) })
    else progress('the build failed')
    return exitCodes.failed
  }
  return {
    folder,
    command: command.value,
    manifest: manifest.value,
    entries: entries.value,
    build: build.value,
  }
}
