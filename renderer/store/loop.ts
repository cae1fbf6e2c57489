import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Project } from '../../electron/contract/project'
import { listen } from '../bridge/bridge'
import { askedAt } from './asked-at'
import { buildJob, forgetBuild } from './build'
import { allFeatures, allJobs, type Refresh } from './feature'
import { buildStamp } from './files'
import { dismissCrash } from './host'
import { forgetInputs, manifestArrived } from './inputs'
import { forgetLanguageDiagnostics } from './language'
import { forgetProgramFunctions, loadProgramFunctions } from './program-functions'
import { currentName, isForBuild, nameOf, projectChanged, roleOf } from './project'
import { forgetRegistry } from './registry'
import { forgetSchemas, schemasStore } from './schemas'
import { settingsStore } from './settings'
import { askForTrust, isRestricted } from './trust'

/**
 * The loop: build, load, and every feature refreshes what it showed. Nobody presses five buttons.
 */

/** Why a build is started, and whether the setting "Build on save" decides about it. */
const buildReasons = {
  asked: { needsBuildOnSave: false },
  /** Sources or headers were written, by the editor or by another program. */
  saved: { needsBuildOnSave: true },
  projectOpened: { needsBuildOnSave: true },
  /** What a build reads of opsmith.json is different. */
  manifestChanged: { needsBuildOnSave: true },
  /** Files were saved for an export: the panels must not show older results than it holds. */
  beforeExport: { needsBuildOnSave: false },
} as const

type BuildReason = keyof typeof buildReasons

/** Whether requestBuild() builds for this reason. */
export function buildsFor(reason: BuildReason): boolean {
  return !buildReasons[reason].needsBuildOnSave || settingsStore.getState().settings.buildOnSave
}

/** How many builds were asked for. */
let requests = 0

/**
 * The only place that starts a build: of what is on disk, in place of a build that runs. Resolves when
 * the build was loaded, or when a newer one took its place.
 * @param options.timeTrace compiles all of the project again and records where the time went
 * @param options.since when the user asked for what began with this, as in asked-at.ts
 */
export async function requestBuild(
  reason: BuildReason,
  { timeTrace = false, since = askedAt() }: { timeTrace?: boolean; since?: number } = {},
): Promise<void> {
  if (!buildsFor(reason)) return
  if (isRestricted()) {
    if (reason === 'asked') askForTrust()
    return
  }
  const mine = (requests += 1)
  const onLoad = (): void => void refreshFeatures('build')
  const built = await buildJob.run({ timeTrace, since, onLoad })
  const isLoaded = built?.ok === true && built.value.load !== null
  if (isLoaded || mine !== requests) return
  for (const { refresh } of allFeatures()) refresh?.withoutLibrary?.()
}

/** After the result that somebody looks at: a build seldom changes what the program's functions are. */
const programRefresh: Refresh = {
  order: 8,
  run: async (cause) => {
    if (cause === 'build') await loadProgramFunctions()
  },
}

/** Each refresh that runs, with the order of its features that run now. The refresh of an older build may still run. */
const refreshStore = createStore<{ orders: ReadonlyMap<symbol, number> }>(() => ({
  orders: new Map(),
}))

function noteRefresh(refresh: symbol, order: number | null): void {
  const orders = new Map(refreshStore.getState().orders)
  if (order === null) orders.delete(refresh)
  else orders.set(refresh, order)
  refreshStore.setState({ orders })
}

const hasUpTo = (order: number, orders: ReadonlyMap<symbol, number>): boolean =>
  [...orders.values()].some((one) => one <= order)

/** True while features of this order, or of an earlier one, refresh. */
export function isRefreshDue(order: number): boolean {
  return hasUpTo(order, refreshStore.getState().orders)
}

/** Calls back when a refresh begins, comes to its next order, or ends. */
export function onRefresh(listener: () => void): void {
  refreshStore.subscribe(listener)
}

export function useIsRefreshDue(order: number): boolean {
  return useStore(refreshStore, ({ orders }) => hasUpTo(order, orders))
}

/** The op host does one thing at a time: what somebody looks at comes before what runs by itself. */
async function refreshFeatures(cause: 'build' | 'program'): Promise<void> {
  const all = [programRefresh, ...allFeatures().flatMap((feature) => feature.refresh ?? [])]
  const orders = [...new Set(all.map((refresh) => refresh.order))].sort((a, b) => a - b)
  const mine = Symbol(cause)
  try {
    for (const order of orders) {
      noteRefresh(mine, order)
      const together = all.filter((refresh: Refresh) => refresh.order === order)
      await Promise.all(together.map((refresh) => refresh.run(cause)))
    }
  } finally {
    noteRefresh(mine, null)
  }
}

/** Whether filesChanged() starts a build for this file. */
export function startsBuild(path: string): boolean {
  return isForBuild(roleOf(path)) && buildsFor('saved') && !isRestricted()
}

/** Files were written, by the editor or by another program: what a build reads is built, the program read again. */
export function filesChanged(paths: readonly string[], since = askedAt()): void {
  const roles = paths.map(roleOf)
  if (roles.includes('program')) void programChanged()
  // A changed manifest comes back as project.changed.
  if (roles.some(isForBuild)) void requestBuild('saved', { since })
}

/** No build is needed to see what the program does now. */
async function programChanged(): Promise<void> {
  await loadProgramFunctions()
  if (buildJob.isRunning()) return // the build refreshes all there is
  void refreshFeatures('program')
}

export function listenToProject(): void {
  listen('project.changed', (project: Project) => {
    if (nameOf(project) !== currentName()) return
    const watches = allFeatures().flatMap((feature) => feature.manifest ?? [])
    const read = (): string[] => watches.map((watch) => JSON.stringify(watch.reads()))
    const before = read()
    const stampBefore = buildStamp()
    projectChanged(project)
    manifestArrived()
    const building = buildStamp() !== stampBefore && buildsFor('manifestChanged')
    if (building) void requestBuild('manifestChanged')
    const isBuilt = !buildJob.isRunning() && schemasStore.getState().load !== null
    const now = read()
    watches.forEach((watch, index) => {
      if (now[index] !== before[index]) watch.changed({ building, isBuilt })
    })
  })
}

/** Another project (or none): nothing of the old one may be shown as if it were the new one's. */
export function forgetResults(): void {
  for (const job of allJobs()) job.reset()
  for (const feature of allFeatures()) feature.forget?.()
  forgetBuild()
  forgetSchemas()
  forgetInputs()
  forgetProgramFunctions()
  forgetRegistry()
  forgetLanguageDiagnostics()
  dismissCrash()
}
