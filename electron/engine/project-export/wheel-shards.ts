import { z } from 'zod'

import { exportForm, formReport } from '../../contract/export'
import type { ExportForm, FormReport } from '../../contract/export'
import { err } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { RunWheel } from '../../contract/run-calls'
import type { EndedShard, Shard } from '../../contract/shards'
import type { Exports } from './exports'
import { readWheelPython } from './wheel-pythons'
import type { WheelPython } from './wheel-pythons'

const work = z.object({
  form: exportForm,
  python: z.string(),
  /** The torch of that Python. The folder of the wheel is named after it. */
  torch: z.string(),
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
    work: { form, python, torch, directory } satisfies WheelWork,
  }))
}

/** Builds the wheel for one Python from the files of the export, which is the same folder on all nodes. */
export async function buildWheel(
  exports: Exports,
  folder: string,
  { form, python: named, torch, directory }: WheelWork,
  signal: AbortSignal,
): Promise<Result<FormReport>> {
  const read = await readWheelPython(named)
  // Another node may have this Python.
  if (!read.ok) return { ok: false, error: { ...read.error, code: 'toolchain.missing' } }
  const python = read.value
  if (python.torch !== torch)
    return err(
      'toolchain.missing',
      `${named} has torch ${python.torch} on this node, but torch ${torch} on the machine that started the run.`,
      { hint: 'Name a Python that is the same on all nodes.' },
    )
  return await exports.proveWheel(folder, { form, python, directory }, { signal })
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
      steps: reports.flatMap(({ steps }) => steps),
      products: reports.flatMap(({ products }) => products),
    }
  )
}
