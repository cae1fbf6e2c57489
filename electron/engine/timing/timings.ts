import path from 'node:path'

import type { MachineCeilings, MachineFacts } from '../../contract/timing'
import type { KernelList } from '../../contract/timing-device'
import type { TimingEntry } from '../../contract/timing-entry'
import type {
  TimingHistoryPoint,
  TimingReport,
  TimingRequest,
  TimingRow,
  JudgedCeilings,
  KeptBuild,
} from '../../contract/timing-report'
import type { TimingDirection } from '../../contract/timing-names'
import type { BuildReport } from '../../contract/build'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProgramSource } from '../../contract/run'
import { atRest } from '../at-rest'
import type { OwnWork } from '../at-rest'
import type { Builds } from '../builds/builds'
import type { Libraries } from '../builds/libraries'
import type { HostPool } from '../host/host-pool'
import { profilingEnvironment } from '../host/profiling'
import { hostsFolder } from '../host/sandbox'
import type { Installation } from '../installation'
import { appendEntries } from '../project/edit-manifest'
import type { OpenProject, Projects } from '../project/open-project'
import { benchmarksOf, requestOfEntry, withoutDefaults } from './entries'
import { deviceAt, isSamePoint, plannedPoints, planOf, timedCallOf } from './plan'
import type { TimingPlan, PlannedPoint, Variant } from './plan'
import { emptyRow, errorRow, rowsOf } from './rows'
import { ceilingsOf } from './ceilings'
import type { CeilingsRequest } from './ceilings'
import { kernelsIn } from './kernels'
import { buildKeyOf, KeptBuilds } from './kept-builds'
import type { LoadableBuild } from './kept-builds'
import type { Entrant } from './take-samples'
import { isFasterThan } from './device-noise'
import { timeGroup } from './time-group'
import type { VariantOutcome } from './time-group'
import { timedDevices } from './timed-devices'
import type { TimedDevice } from './timed-devices'
import { historyKeyOf, TimingHistory } from './timing-history'

interface TimingServices {
  installation: Installation
  projects: Projects
  builds: Builds
  libraries: Libraries
  hosts: HostPool
  /** What of this workbench works while a timing runs. */
  ownWork: () => readonly OwnWork[]
}

export interface TimingLimits {
  signal?: AbortSignal
  /** Measures what the machine can do at most, also where that is known. */
  measureCeilings?: boolean
  /** Called with what timing waits for; "" when it goes on. */
  onWait?: (what: string) => void
}

/** Called once before the first row, then after each. */
export type RowProgress = (done: number, total: number, row?: TimingRow) => void

/** Seconds of samples for each row, and for one call of the op host, where an entry says nothing. */
const defaultSeconds = 0.5
const defaultTimeout = 120
/** Stop waits this long for the samples under way, so that the op host need not be ended. */
const patience = 1000

/** One run of benchmarks: what all of its rows share. */
interface Session {
  project: OpenProject
  machine: MachineFacts
  /** Not those that may be too low: they would make true times look impossible. */
  ceilings?: MachineCeilings
  /** Others than the CPU. */
  devices: TimedDevice[]
  /** Kernels of the build run on the CPU that plays a GPU. */
  virtualGpu: boolean
  program: ProgramSource | undefined
  /** "" where nothing was built. */
  build: string
  /** The library that is timed. */
  library: string
  limits: TimingLimits
  /** Aborts some time after `limits.signal`. */
  signal: AbortSignal
  /** Op hosts of builds, by their keys. */
  beside: Map<string, HostPool>
  progress: (row: TimingRow) => void
}

/** Timings of a project: one or all; the builds and times that are kept of them. */
export class Timings {
  private readonly kept: KeptBuilds
  private readonly times: TimingHistory

  constructor(private readonly services: TimingServices) {
    const { dataFolder } = services.installation
    this.kept = new KeptBuilds(dataFolder)
    this.times = new TimingHistory(dataFolder)
  }

  /** A good build has been made: it can be timed against from now on. */
  async remember(project: OpenProject, build: BuildReport): Promise<void> {
    const program = await project.program()
    try {
      await this.kept.remember(project, build, program.ok ? program.value : undefined)
    } catch {
      // A disk that is full must not fail the build; this one cannot be timed against then.
    }
  }

  /**
   * The rows of benchmarks, by default of opsmith.json's; the project's library is loaded first if it
   * is not. What goes wrong with a row is that row's error; an error comes back only where nothing
   * could be timed. On Stop the rows that are not done have "cancelled" as their error.
   */
  async run(
    folder: string,
    requests: readonly TimingRequest[] | undefined,
    limits: TimingLimits,
    onProgress?: RowProgress,
  ): Promise<Result<TimingReport>> {
    const started = performance.now()
    const begun = await this.begin(folder, limits)
    if (!begun.ok) return begun
    const session = begun.value
    const entries = requests ?? benchmarksOf(session.project.manifest)
    const plans = await Promise.all(entries.map((entry) => this.plan(session, entry)))
    const rowsIn = (plan: Result<Planned>): number =>
      plan.ok
        ? plan.value.points.length * plan.value.directions.length * plan.value.variants.length
        : 1
    let total = plans.reduce((sum, plan) => sum + rowsIn(plan), 0)
    let done = 0
    session.progress = (row) => {
      done += 1
      onProgress?.(done, total, row)
    }
    onProgress?.(0, total)
    await atRest(() => this.services.ownWork(), limits.onWait ?? (() => undefined), limits.signal)
    try {
      const ceilings = await this.ceilings(session, entries, plans)
      if (ceilings?.doubt === '') session.ceilings = ceilings.ceilings
      session.devices = await this.devices(session, entries, plans)
      const rows: TimingRow[] = []
      for (const [index, plan] of plans.entries()) {
        const request = entries[index]
        if (!request) continue
        if (!plan.ok) {
          const row = errorRow(index, request.op, plan.error)
          rows.push(row)
          session.progress(row)
          continue
        }
        const made = await this.timeEntry(session, { index, request, plan: plan.value }, (left) => {
          total -= left
        })
        rows.push(...made)
      }
      return ok({
        rows,
        machine: session.machine,
        ...(ceilings ? { ceilings: ceilings.ceilings } : {}),
        ceilingsDoubt: ceilings?.doubt ?? '',
        devices: session.devices,
        seconds: (performance.now() - started) / 1000,
        build: session.build,
      })
    } finally {
      await Promise.all([...session.beside.values()].map((pool) => pool.close()))
    }
  }

  /** Loads the library, and asks for what does not change from row to row. */
  private async begin(folder: string, limits: TimingLimits): Promise<Result<Session>> {
    const { projects, builds, libraries, hosts } = this.services
    const opened = await projects.open(folder)
    if (!opened.ok) return opened
    const project = opened.value
    // No other build is timed.
    const plain = await builds.waitForPlain(project)
    if (!plain.ok) return plain
    const loaded = await libraries.ensureLoaded(project, { timeout: defaultTimeout, ...limits })
    if (!loaded.ok) return loaded
    const program = await project.program()
    if (!program.ok) return program
    const host = await hosts.host()
    if (!host.ok) return host
    const machine = await host.value.call('timing.machine', {}, { timeout: 30, phase: '' })
    if (!machine.ok) return machine
    const built = builds.lastBuild(project)
    return ok({
      project,
      machine: machine.value,
      program: program.value,
      build: built ? await this.kept.remember(project, built, program.value) : '',
      library: built?.loadPath ?? '',
      limits,
      signal: delayed(limits.signal),
      beside: new Map(),
      devices: [],
      virtualGpu: built?.virtualDevice !== undefined,
      progress: () => undefined,
    })
  }

  private async ceilings(
    session: Session,
    entries: readonly TimingRequest[],
    plans: readonly Result<Planned>[],
  ): Promise<JudgedCeilings | undefined> {
    const points = plannedPoints(entries, plans).filter(({ device }) => device === 'cpu')
    if (points.length === 0) return undefined
    const threads = Math.max(...points.map(({ planned }) => planned.point.threads))
    const again = session.limits.measureCeilings ?? false
    return await this.measured(session.machine, { threads, again, signal: session.signal })
  }

  private async devices(
    session: Session,
    entries: readonly TimingRequest[],
    plans: readonly Result<Planned>[],
  ): Promise<TimedDevice[]> {
    const names = plannedPoints(entries, plans).map(({ device }) => device)
    const host = await this.services.hosts.host()
    // What the virtual GPU can do at most says nothing of a GPU.
    if (!host.ok || session.virtualGpu || names.every((name) => name === 'cpu')) return []
    const { libtorch } = this.services.hosts.state()
    const again = session.limits.measureCeilings ?? false
    const { cacheFolder } = this.services.installation
    const options = { libtorch, again, signal: session.signal }
    return await timedDevices(cacheFolder, host.value, names, options)
  }

  /**
   * What a device can do was measured while its clock was lower than it is now, locked most likely: true times would
   * look impossible. It is measured again.
   */
  private async measureFasterDevice(
    session: Session,
    device: string,
    outcomes: readonly VariantOutcome[],
  ): Promise<void> {
    const place = session.devices.findIndex((one) => one.device === device)
    const known = session.devices[place]
    const states = outcomes.flatMap(({ taken }) => taken?.device.map(({ after }) => after) ?? [])
    if (!known?.ceilings || !isFasterThan(states, known.ceilings)) return
    const host = await this.services.hosts.host()
    if (!host.ok) return
    const { libtorch } = this.services.hosts.state()
    const { cacheFolder } = this.services.installation
    const options = { libtorch, again: true, signal: session.signal }
    const [again] = await timedDevices(cacheFolder, host.value, [device], options)
    if (again) session.devices[place] = again
  }

  /** What a device does in one forward of a benchmark's own call, at the first point of its sweep. */
  async kernels(
    folder: string,
    request: TimingRequest,
    limits: TimingLimits,
  ): Promise<Result<KernelList>> {
    const begun = await this.begin(folder, limits)
    if (!begun.ok) return begun
    const plan = await this.plan(begun.value, { ...request, builds: [] })
    if (!plan.ok) return plan
    const [planned] = plan.value.points
    const [variant] = plan.value.variants
    if (!planned || !variant) {
      return err('input.invalid', 'The benchmark has no sizes to measure.', {
        hint: 'Give each name in "sizes" at least one value.',
      })
    }
    const device = deviceAt(request, planned)
    if (device === 'cpu') {
      return err(
        'device.unavailable',
        `${request.op} is called on the CPU, but Opsmith can list only GPU kernels.`,
        {
          hint: 'Set "device": "cuda" for the inputs, on a machine with a GPU.',
        },
      )
    }
    const timed = { request, plan: plan.value, planned, direction: 'forward' as const }
    const { project } = begun.value
    const pool = await this.services.libraries.openHostsBeside(project, profilingEnvironment)
    if (!pool.ok) return pool
    try {
      const entrant = await this.enter(begun.value, timed, variant, pool.value)
      if (!entrant.ok) return entrant
      const timeout = request.timeout ?? defaultTimeout
      const folderOfTraces = hostsFolder(this.services.installation)
      return await kernelsIn(entrant.value, device, folderOfTraces, { timeout, ...limits })
    } finally {
      await pool.value.close()
    }
  }

  private async measured(
    machine: MachineFacts,
    request: Omit<CeilingsRequest, 'machine' | 'libtorch'>,
  ): Promise<JudgedCeilings | undefined> {
    const host = await this.services.hosts.host()
    if (!host.ok) return undefined
    const { libtorch } = this.services.hosts.state()
    const { cacheFolder } = this.services.installation
    return await ceilingsOf(cacheFolder, host.value, { machine, libtorch, ...request })
  }

  /** Measures what the machine can do at most with so many threads, whatever is known of it. */
  async measureCeilings(
    threads: number,
    { signal }: TimingLimits,
  ): Promise<Result<JudgedCeilings>> {
    const limits = { timeout: 30, signal, phase: '' }
    const machine = await this.services.hosts.call('timing.machine', {}, limits)
    if (!machine.ok) return machine
    const found = await this.measured(machine.value, { threads, again: true, signal })
    return found
      ? ok(found)
      : err(
          'cancelled',
          'Opsmith could not measure the memory bandwidth and FLOP/s of this machine.',
          {
            hint: 'Measure again.',
          },
        )
  }

  /** A benchmark's points and variants, builds among them. */
  private async plan(session: Session, request: TimingRequest): Promise<Result<Planned>> {
    const plan = planOf(request, session.project.manifest)
    if (!plan.ok) return plan
    const builds = new Map<string, LoadableBuild>()
    for (const wanted of request.builds) {
      const found = await this.kept.find(session.project.folder, wanted, session.build)
      if (!found.ok) return found
      builds.set(found.value.key, found.value)
    }
    const variants = [...builds.values()].map(({ key, label }): Variant => ({
      kind: 'build',
      label,
      build: key,
    }))
    return ok({ ...plan.value, variants: [...plan.value.variants, ...variants], builds })
  }

  /** @param leave is called with the number of rows that there will not be after all */
  private async timeEntry(
    session: Session,
    { index, request, plan }: { index: number; request: TimingRequest; plan: Planned },
    leave: (rows: number) => void,
  ): Promise<TimingRow[]> {
    const rows: TimingRow[] = []
    for (const planned of plan.points) {
      const refused = new Map<number, string>()
      for (const direction of plan.directions) {
        const { op } = request
        const device = deviceAt(request, planned)
        const { point } = planned
        const bases = plan.variants.map((variant) =>
          emptyRow({ entry: index, op, variant, direction, point, device }),
        )
        const timed = { request, plan, planned, direction }
        if (session.limits.signal?.aborted) {
          const { error } = err('cancelled', 'Stopped.')
          rows.push(...bases.map((row) => ({ ...row, refused: error.message, error })))
          continue
        }
        const outcomes = await timeGroup(
          plan.variants,
          (variant) => this.enter(session, timed, variant),
          {
            seconds: request.seconds ?? defaultSeconds,
            timeout: request.timeout ?? defaultTimeout,
            signal: session.signal,
            stop: session.limits.signal,
            folder: hostsFolder(this.services.installation),
            refused,
            ...(request.rtol === undefined ? {} : { rtol: request.rtol }),
            ...(request.atol === undefined ? {} : { atol: request.atol }),
          },
        )
        if (plan.directionsByDefault && direction !== 'forward' && outcomes[0]?.noBackward) {
          leave(bases.length)
          continue
        }
        await this.measureFasterDevice(session, device, outcomes)
        const made = rowsOf(bases, outcomes, planned, session)
        for (const [place, row] of made.entries()) {
          // An answer that was wrong forward has no backward worth timing.
          if (row.refused !== '' && !row.error && !outcomes[place]?.noBackward)
            refused.set(place, row.refused)
          await this.keepTime(session, timed, plan.variants[place], row)
          session.progress(row)
        }
        rows.push(...made)
      }
    }
    return rows
  }

  /**
   * The call, and an op host that has the library it is for.
   * @param apart takes the operator's own library in place of the op host in use
   */
  private async enter(
    session: Session,
    { request, plan, planned, direction }: TimedPoint,
    variant: Variant,
    apart?: HostPool,
  ): Promise<Result<Entrant>> {
    const { builds, libraries } = this.services
    if ((builds.lastBuild(session.project)?.loadPath ?? '') !== session.library) {
      return err('host.unavailable', 'The project was built again during the timing.', {
        hint: 'Measure again.',
      })
    }
    const build = variant.kind === 'build' ? plan.builds.get(variant.build) : undefined
    const timeout = request.timeout ?? defaultTimeout
    const pool = build ? await this.besideFor(session, build) : ok(apart ?? this.services.hosts)
    if (!pool.ok) return pool
    const within = { timeout, signal: session.signal }
    const library = build?.library ?? (apart ? session.library : undefined)
    const loaded =
      library === undefined
        ? await libraries.ensureLoaded(session.project, within)
        : await pool.value.load(library, within)
    if (!loaded.ok) return loaded
    const host = await pool.value.host()
    if (!host.ok) return host
    const program = build ? build.program : session.program
    const call = {
      ...timedCallOf(variant, request, planned, direction),
      ...(program ? { program } : {}),
    }
    return ok({ label: variant.label, call, host: host.value })
  }

  private async besideFor(session: Session, build: LoadableBuild): Promise<Result<HostPool>> {
    const known = session.beside.get(build.key)
    if (known) return ok(known)
    const pool = await this.services.libraries.openHostsBeside(session.project)
    if (pool.ok) session.beside.set(build.key, pool.value)
    return pool
  }

  private async keepTime(
    session: Session,
    { request, planned }: TimedPoint,
    variant: Variant | undefined,
    row: TimingRow,
  ): Promise<void> {
    if (!row.summary || !variant || variant.kind === 'build' || session.build === '') return
    const { median, p25, p75 } = row.summary
    const key = historyKeyOf(variant, request, planned, row.direction)
    const point = { build: session.build, time: Date.now(), median, p25, p75 }
    await this.times.add(session.project.folder, key, point)
  }

  /** The times of this very row at one build after the other, oldest first. */
  async history(
    folder: string,
    request: TimingRequest,
    row: Pick<TimingRow, 'kind' | 'variant' | 'direction' | 'point'>,
  ): Promise<Result<TimingHistoryPoint[]>> {
    const project = await this.services.projects.open(folder)
    if (!project.ok) return project
    const plan = planOf(request, project.value.manifest)
    if (!plan.ok) return plan
    const planned = plan.value.points.find(({ point }) => isSamePoint(point, row.point))
    // A build's own times are those of the operator, at that build.
    const kind = row.kind === 'build' ? 'operator' : row.kind
    const variant = plan.value.variants.find(
      (one) => one.kind === kind && (kind === 'operator' || one.label === row.variant),
    )
    if (!planned || !variant) return ok([])
    const key = historyKeyOf(variant, request, planned, row.direction)
    const sources = (build: string): Promise<Record<string, string> | undefined> =>
      this.kept.sources(project.value.folder, build)
    return ok(await this.times.read(project.value.folder, key, sources))
  }

  /** Builds that can be timed against, newest first. */
  async builds(folder: string): Promise<Result<KeptBuild[]>> {
    const built = this.services.builds.lastBuild(folder)
    const project = await this.services.projects.open(folder)
    const program = project.ok ? await project.value.program() : project
    const current = built ? buildKeyOf(built, program.ok ? program.value : undefined) : ''
    return ok(await this.kept.list(path.resolve(folder), current))
  }

  /** A kept build by its key, its name or "last". */
  async keptBuild(project: OpenProject, wanted: string): Promise<Result<LoadableBuild>> {
    const built = this.services.builds.lastBuild(project)
    const program = await project.program()
    const current = built ? buildKeyOf(built, program.ok ? program.value : undefined) : ''
    return await this.kept.find(project.folder, wanted, current)
  }

  async nameBuild(folder: string, key: string, name: string): Promise<Result<KeptBuild[]>> {
    const renamed = await this.kept.rename(path.resolve(folder), key, name.trim())
    return renamed.ok ? await this.builds(folder) : renamed
  }

  /** Adds a benchmark to opsmith.json; one that is there already stays one. */
  async keep(
    folder: string,
    entry: TimingEntry,
  ): Promise<Result<{ entry: number; added: boolean }>> {
    const project = await this.services.projects.open(folder)
    if (!project.ok) return project
    const { manifest } = project.value
    const plan = planOf({ ...entry, builds: [] }, manifest)
    if (!plan.ok) return plan
    const wanted = requestOfEntry(entry)
    const same = manifest.benchmarks.findIndex((one) => requestOfEntry(one) === wanted)
    if (same >= 0) return ok({ entry: same, added: false })
    const written = await appendEntries(project.value.folder, 'benchmarks', [
      withoutDefaults(entry),
    ])
    return written.ok ? ok({ ...written.value, added: true }) : written
  }
}

type Planned = TimingPlan & { builds: ReadonlyMap<string, LoadableBuild> }

/** One point of a benchmark in one direction; each of its variants is timed there. */
interface TimedPoint {
  request: TimingRequest
  plan: Planned
  planned: PlannedPoint
  direction: TimingDirection
}

/** User code cannot be interrupted, but samples are short: most often they end before this does. */
function delayed(signal: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController()
  signal?.addEventListener('abort', () => {
    setTimeout(() => {
      controller.abort()
    }, patience).unref()
  })
  return controller.signal
}
