import os from 'node:os'
import path from 'node:path'

import type { BuildReport } from '../../contract/build'
import { err } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import type { OpenProject } from '../project/open-project'
import type { CompileServer } from './hot/compile-server'
import type { BuildServers } from './hot/build-servers'
import { kindOf } from './hot/hot-compiler'
import type { HotCompiler, WantedServer } from './hot/hot-compiler'
import { pruneFolder } from './result-cache'
import { planBuild } from './plan'
import type { BuildPlan, PlanRequest } from './plan'
import { makePrecompiled } from './precompiled-headers'
import { objectCache } from './object-cache'
import { ProjectBuild } from './project-build'
import type { BuildOptions } from './build-options'
import { pruneGpuCache } from './virtual-gpu/gpu-cache'

export type { BuildOptions }

const objectsLimit = 2 * 2 ** 30
const buildsLimit = 2 * 2 ** 30

/** What is built, and with which tools. */
export type BuildRequest = Omit<
  PlanRequest,
  'variant' | 'architectures' | 'withNvcc' | 'onProgress'
>

/** Sources to a library; a failed compile is a good answer with `ok: false`. */
export async function buildProject(
  request: BuildRequest,
  options: BuildOptions = {},
): Promise<Result<BuildReport>> {
  const { cudaArchitectures: architectures = [], withNvcc } = options
  const onProgress = progressOf(options)
  const variant = 'plain'
  const plan = await planOrStop(
    { ...request, variant, architectures, withNvcc, onProgress },
    options,
  )
  if (!plan.ok) return plan
  sayMissing(plan.value, options)
  const { project } = request
  const parts = { project, plan: plan.value, variant } as const
  const report = await new ProjectBuild(parts, options).run()
  const without = withoutUnsupported(request, report, options)
  return without ? await buildProject(without, options) : report
}

function sayMissing({ missingHeaders }: BuildPlan, { onMissingHeaders }: BuildOptions): void {
  if (missingHeaders.length > 0) onMissingHeaders?.(missingHeaders)
}

/** What the virtual GPU's headers say of what it does not have. */
const refusal = /not supported on the virtual GPU/

/**
 * A CUDA part that may be left out is, where it uses what the virtual GPU does not have: the project builds as on a
 * machine without it. Not where the user has chosen the virtual GPU by name.
 * @returns the build to make instead; undefined where this one stands
 */
function withoutUnsupported(
  request: BuildRequest,
  report: Result<BuildReport>,
  { onOutput, onRemark }: BuildOptions,
): BuildRequest | undefined {
  const { toolchain, project } = request
  const isOptional =
    project.manifest.cudaSources.length > 0 && toolchain.virtualGpu?.isChosen === false
  if (!isOptional || !report.ok || report.value.ok) return undefined
  const refused = report.value.diagnostics.find(({ message }) => refusal.test(message))
  if (!refused) return undefined
  const place = path.relative(project.folder, refused.file)
  // #error prints its text with the quotes.
  const message = refused.message.replaceAll('"', '')
  const remark = `${place}:${refused.line}: ${message}; building without the virtual GPU`
  onOutput?.(`note: ${remark}\n`)
  onRemark?.(remark)
  return { ...request, toolchain: { ...toolchain, virtualGpu: undefined } }
}

/** What is compiled before the project's sources is in the log, and shown. */
function progressOf({ onOutput }: BuildOptions): (text: string) => void {
  return (text) => onOutput?.(`${text}\n`)
}

/** How buildHot() reaches a compile server. */
export interface ServerAccess {
  compiler: HotCompiler
  /** Called where a server was not up for what the sources include. */
  onNoServer: (missing: readonly WantedServer[]) => void
}

/**
 * The same by the compile server, if one is up for what the sources include: `hot` in the report says so, and
 * then nothing is put into the project's folder. Otherwise as buildProject; a build of many sources starts a server
 * and waits for it.
 */
export async function buildHot(
  request: BuildRequest,
  { compiler, onNoServer }: ServerAccess,
  options: BuildOptions = {},
): Promise<Result<BuildReport>> {
  const { project } = request
  const onProgress = progressOf(options)
  const plan = await planOrStop({ ...request, variant: 'plain', onProgress }, options)
  if (!plan.ok) return plan
  sayMissing(plan.value, options)
  const servers: BuildServers = {}
  const all = Object.values(plan.value.servers)
  const missing = (): WantedServer[] => all.filter((wanted) => !compiler.find(wanted))
  const isWorthWaiting = missing().length > 0 && hasManyToCompile(project, plan.value)
  for (const wanted of all) {
    const find = (): CompileServer | undefined => compiler.find(wanted)
    servers[kindOf(wanted)] =
      isWorthWaiting && !find()
        ? endOrStop(compiler.start(wanted, false, false), options.signal).then(find)
        : Promise.resolve(find())
  }
  const parts = { project, plan: plan.value, variant: 'plain' as const, servers }
  const report = await new ProjectBuild(parts, options).run()
  if (missing().length > 0) onNoServer(missing())
  const without = withoutUnsupported(request, report, options)
  return without ? await buildHot(without, { compiler, onNoServer }, options) : report
}

/** A server that is being started is up before the compilers are through with more sources than there are cores. */
function hasManyToCompile(project: OpenProject, plan: BuildPlan): boolean {
  const cache = objectCache(project, plan)
  const missing = plan.compiles.filter((task) => task.server && !cache.find(task.key))
  return missing.length > os.availableParallelism()
}

/** A stopped build does not wait for the virtual GPU's libraries, which other builds may want too: they are made to the end. */
async function planOrStop(
  request: PlanRequest,
  { signal }: BuildOptions,
): Promise<Result<BuildPlan>> {
  const stopped = err('cancelled', 'The build was stopped.')
  if (signal?.aborted) return stopped
  const planned = planBuild(request)
  await endOrStop(planned, signal)
  return signal?.aborted ? stopped : await planned
}

async function endOrStop(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  const stopped = new Promise((resolve) => {
    signal?.addEventListener('abort', resolve, { once: true })
  })
  await Promise.race([work, stopped])
}

/**
 * The same watched by ASan and UBSan. Nothing is put into the project's folder: `library` and `addon`
 * are "". Precompiled headers are made here where there are none: set-up makes the plain ones only.
 */
export async function buildSanitized(
  request: BuildRequest,
  options: Omit<BuildOptions, 'timeTrace' | 'cudaArchitectures'> = {},
): Promise<Result<BuildReport>> {
  const planned = (): Promise<Result<BuildPlan>> => planBuild({ ...request, variant: 'sanitized' })
  let plan = await planned()
  // Sources may start from different ones; a plan names one that is missing.
  for (;;) {
    const missing = plan.ok
      ? plan.value.missingHeaders.find(({ variant }) => variant === 'sanitized')
      : undefined
    if (!missing) break
    options.onOutput?.("precompiling libtorch's headers for a build with sanitizers\n")
    const made = await makePrecompiled(missing.tools, missing.prelude, 'sanitized', {
      signal: options.signal,
    })
    if (!made.ok) return made
    plan = await planned()
  }
  if (!plan.ok) return plan
  const parts = { project: request.project, plan: plan.value, variant: 'sanitized' as const }
  return await new ProjectBuild(parts, options).run()
}

/** Keeps the caches within their limits; called when nothing waits for it. */
export function pruneBuildCaches(installation: Installation): void {
  pruneFolder(path.join(installation.cacheFolder, 'objects'), objectsLimit)
  pruneFolder(path.join(installation.cacheFolder, 'builds'), buildsLimit)
  pruneGpuCache(installation.cacheFolder)
}
