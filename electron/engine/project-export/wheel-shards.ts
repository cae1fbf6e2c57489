import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { z } from 'zod'

import { exportForm, formReport } from '../../contract/export'
import type { ExportForm, FormReport } from '../../contract/export'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { RunWheel } from '../../contract/run-calls'
import type { EndedShard, Shard } from '../../contract/shards'
import { ioError, makeFolder } from '../project/files'
import { withoutLinks } from '../project/inside'
import type { Exports } from './exports'
import type { WheelPython } from './wheel-pythons'

const work = z.object({
  form: exportForm,
  python: z.string(),
  /** Absolute: of the export, in which each form has a folder of its name. */
  directory: z.string(),
})
type WheelWork = z.infer<typeof work>

/** What a shard of wheels asks for. */
export function wheelShardOf(given: unknown): WheelWork {
  return work.parse(given)
}

/** A shard for each Python. */
export function shardsOfWheels(
  form: ExportForm,
  pythons: readonly WheelPython[],
  directory: string,
): Shard[] {
  return pythons.map(({ python, torch }) => ({
    name: `wheel for torch ${torch}`,
    work: { form, python, directory } satisfies WheelWork,
  }))
}

async function copyProducts(
  { directory: from, products }: FormReport,
  to: string,
): Promise<Result<null>> {
  for (const name of products) {
    const target = await withoutLinks(to, name)
    if (!target.ok) return target
    try {
      await makeFolder(path.dirname(target.value))
      await fs.copyFile(path.join(from, name), target.value)
    } catch (error) {
      return ioError(error, `write ${target.value}`)
    }
  }
  return ok(null)
}

/**
 * Exports the project on this node and builds the wheel for one Python; only the wheel is copied to the export. Results
 * that its tests compare with are of this node, too.
 */
export async function buildWheel(
  exports: Exports,
  folder: string,
  { form, python, directory }: WheelWork,
  signal: AbortSignal,
): Promise<Result<FormReport>> {
  const scratch = await fs.mkdtemp(path.join(os.tmpdir(), `opsmith-proof-${process.pid}-`))
  try {
    const request = {
      forms: [form],
      directory: scratch,
      proof: true,
      decisions: {},
      pythons: [python],
    }
    const exported = await exports.run(folder, request, { signal })
    if (!exported.ok) return exported
    const [report] = exported.value.forms
    if (!report) return err('internal', 'The export has no report, because of a bug in Opsmith.')
    if (report.error) return { ok: false, error: report.error }
    const own = path.join(directory, form)
    const copied = await copyProducts(report, own)
    return copied.ok ? ok({ ...report, directory: own }) : copied
  } finally {
    await fs.rm(scratch, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** undefined while the shard has no wheel and no reason why. */
export function wheelOfShard({ shard, result }: EndedShard): RunWheel | undefined {
  if (!result?.outcome.ok) return undefined
  const report = formReport.parse(result.outcome.value)
  return { node: result.facts.node, name: shard.name, report }
}

/** The wheels of all Pythons as one report of their form; undefined without any. */
export function joinWheels(reports: readonly FormReport[]): FormReport | undefined {
  const [first] = reports
  return (
    first && {
      ...first,
      ok: reports.every((report) => report.ok),
      // Whoever made the run has written the files.
      steps: reports.flatMap(({ steps }) => steps.filter(({ name }) => name !== 'write')),
      products: reports.flatMap(({ products }) => products),
    }
  )
}
