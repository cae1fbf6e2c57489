import os from 'node:os'
import path from 'node:path'

import type { BuildReport } from '../../contract/build'
import type { Manifest } from '../../contract/manifest'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import type { Toolchain } from '../toolchain/choose'
import type { CompileServer } from './hot/compile-server'
import type { HotCompiler } from './hot/hot-compiler'
import { ObjectCache, pruneFolder } from './object-cache'
import { planBuild } from './plan'
import type { BuildPlan } from './plan'
import { makePrecompiled } from './precompiled-headers'

import { ProjectBuild } from './project-build'
import type { BuildOptions } from './project-build'

export type { BuildOptions }

const objectsLimit = 2 * 2 ** 30
const buildsLimit = 2 * 2 ** 30

/** Sources to a library; a failed compile is a good answer with `ok: false`. */
export async function buildProject(
  installation: Installation,
  toolchain: Toolchain,
  folder: string,
  manifest: Manifest,
  options: BuildOptions = {},
): Promise<Result<BuildReport>> {
  const { cudaArchitectures = [] } = options
  const plan = await planBuild(
    installation,
    toolchain,
    folder,
    manifest,
    'plain',
    cudaArchitectures,
  )
  if (!plan.ok) return plan
  if (plan.value.missingPrelude !== undefined) options.onMissingPrelude?.()
  const build = new ProjectBuild(
    installation,
    toolchain,
    folder,
    manifest,
    plan.value,
    options,
    'plain',
  )
  return await build.run()
}

/**
 * The same by the compile server, if one is up for what the sources include: `hot` in the report says so, and
 * then nothing is put into the project's folder. Otherwise as buildProject, and a server is started for next time.
 * @param onItsWay ends when a server that is being started for this project is up, or is not to be
 */
export async function buildHot(
  installation: Installation,
  toolchain: Toolchain,
  folder: string,
  manifest: Manifest,
  compiler: HotCompiler,
  onItsWay: Promise<unknown> | undefined,
  options: BuildOptions = {},
): Promise<Result<BuildReport>> {
  const plan = await planBuild(installation, toolchain, folder, manifest, 'plain')
  if (!plan.ok) return plan
  if (plan.value.missingPrelude !== undefined) options.onMissingPrelude?.()
  const { includes, serverPrelude } = plan.value
  const asked = serverPrelude && ([toolchain, includes, serverPrelude] as const)
  const find = (): CompileServer | undefined => asked && compiler.find(...asked)
  const waits = onItsWay && isWorthWaiting(installation, folder, plan.value)
  const server = waits ? untilStopped(onItsWay, options.signal).then(find) : Promise.resolve(find())
  const build = new ProjectBuild(
    installation,
    toolchain,
    folder,
    manifest,
    plan.value,
    options,
    'plain',
    server,
  )
  const report = await build.run()
  // Not sooner: it would take a core from this build.
  if (asked && !(await server)) void compiler.start(...asked)
  return report
}

/** A server on its way is there before the compilers are through with more sources than there are cores. */
function isWorthWaiting(installation: Installation, folder: string, plan: BuildPlan): boolean {
  const cache = new ObjectCache(installation.cacheFolder, folder, plan.contentFolders)
  const missing = plan.compiles.filter((task) => task.server && !cache.find(task.key))
  return missing.length > os.cpus().length
}

async function untilStopped(
  ended: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stopped = new Promise((resolve) => {
    signal?.addEventListener('abort', resolve, { once: true })
  })
  await Promise.race([ended, stopped])
}

/**
 * The same watched by ASan and UBSan. Nothing is put into the project's folder: `library` and `addon`
 * are "". Precompiled headers are made here where there are none: set-up makes the plain ones only.
 */
export async function buildSanitized(
  installation: Installation,
  toolchain: Toolchain,
  folder: string,
  manifest: Manifest,
  options: Pick<BuildOptions, 'signal' | 'onOutput' | 'onProgress'> = {},
): Promise<Result<BuildReport>> {
  const planned = (): Promise<Result<BuildPlan>> =>
    planBuild(installation, toolchain, folder, manifest, 'sanitized')
  let plan = await planned()
  // Sources may start from different ones; a plan names one that is missing.
  while (plan.ok && plan.value.missingPrelude !== undefined) {
    const { includes, missingPrelude } = plan.value
    options.onOutput?.(`precompiling libtorch's headers for the sanitizers: ${missingPrelude}\n`)
    const made = await makePrecompiled(
      installation,
      toolchain,
      includes,
      missingPrelude,
      'sanitized',
      options.signal,
    )
    if (!made.ok) return made
    plan = await planned()
  }
  if (!plan.ok) return plan
  const { value } = plan
  const build = new ProjectBuild(
    installation,
    toolchain,
    folder,
    manifest,
    value,
    options,
    'sanitized',
  )
  return await build.run()
}

/** Keeps the caches within their limits; called when nothing waits for it. */
export function pruneBuildCaches(installation: Installation): void {
  pruneFolder(path.join(installation.cacheFolder, 'objects'), objectsLimit)
  pruneFolder(path.join(installation.cacheFolder, 'builds'), buildsLimit)
}
