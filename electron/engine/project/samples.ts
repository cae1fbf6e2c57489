import fs from 'node:fs/promises'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import type { InputSpec, Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Sample } from '../../contract/project'
import { missingPackages } from '../toolchain/pkg-config'
import type { Installation } from '../installation'
import { ignoredFolders } from './list-tree'
import { ioError } from './files'
import { joinInside } from './inside'
import { readManifest } from './read-manifest'
import { isCuda, resolveSources } from './sources'

export async function listSamples(installation: Installation): Promise<Sample[]> {
  const names = await fs.readdir(installation.samplesFolder).catch(() => [])
  const samples: Sample[] = []
  for (const name of names.sort()) {
    const folder = path.join(installation.samplesFolder, name)
    const manifest = await readManifest(folder)
    if (!manifest.ok) continue
    const missing = await missingPackages(manifest.value)
    const description = manifest.value.description ?? ''
    const tags = await tagsOf(folder, manifest.value)
    const example = exampleOf(manifest.value)
    samples.push({ name, description, folder, tags, example, missing })
  }
  return samples
}

function exampleOf({ calls, inputs: specs }: Manifest): Sample['example'] {
  const [call] = calls
  if (!call) return null
  const inputs = call.args.flatMap((name) => {
    const spec = typeof name === 'string' ? specs[name] : undefined
    if (typeof name !== 'string' || !spec) return []
    return [{ name, shape: spec.shape ?? shapeOf(spec.values), requiresGrad: spec.requires_grad }]
  })
  return { operator: call.op.slice(call.op.lastIndexOf(':') + 1), inputs }
}

/** Of literal values, which are as many in each row. */
function shapeOf(values: InputSpec['values']): number[] {
  return Array.isArray(values) ? [values.length, ...shapeOf(values[0])] : []
}

async function tagsOf(folder: string, manifest: Manifest): Promise<Sample['tags']> {
  const resolved = await resolveSources(folder, manifest)
  const sources = resolved.ok ? [...resolved.value.plain, ...resolved.value.cuda] : []
  const texts = await Promise.all(
    sources.map((file) => fs.readFile(path.join(folder, file), 'utf8').catch(() => '')),
  )
  const hasAutograd =
    manifest.autograd.length > 0 ||
    texts.some((text) => /\bautograd::(?:Function|AutogradContext)\b/.test(text))
  return [
    ...(sources.some((file) => !isCuda(file)) ? (['CPU'] as const) : []),
    ...(sources.some(isCuda) ? (['CUDA'] as const) : []),
    ...(hasAutograd ? (['autograd'] as const) : []),
    ...(manifest.pkgConfig.some((name) => name.startsWith('opencv')) ? (['OpenCV'] as const) : []),
  ]
}

/**
 * Copies a sample to a folder in `parent`, which is made: my_op, or my_op-2 where there is one. Nothing is
 * overwritten.
 */
export async function copySample(
  installation: Installation,
  name: string,
  parent: string,
): Promise<Result<{ folder: string }>> {
  const source = joinInside(installation.samplesFolder, name)
  const isSample =
    source !== undefined &&
    path.dirname(source) === path.resolve(installation.samplesFolder) &&
    (await fs.stat(path.join(source, manifestFileName)).then(
      () => true,
      () => false,
    ))
  if (!isSample) {
    return err('project.missing', `There is no sample named ${name}.`, {
      hint: 'Choose one of the samples in the Samples panel.',
    })
  }
  try {
    await fs.mkdir(parent, { recursive: true })
    for (let number = 1; ; number += 1) {
      const folder = `${path.join(parent, path.basename(source))}${number === 1 ? '' : `-${number}`}`
      try {
        await fs.mkdir(folder)
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue
        throw error
      }
      await fs.cp(source, folder, {
        recursive: true,
        filter: (file) => !ignoredFolders.includes(path.basename(file)) || file === source,
      })
      return ok({ folder })
    }
  } catch (error) {
    return ioError(error, `copy the sample to ${parent}`)
  }
}
