import type { ReactElement } from 'react'

import type { LanguageState } from '../../electron/contract/language'
import { machineOf } from '../../electron/contract/project-place'
import { useBackground, type BackgroundTask } from '../store/background'
import { useBuild, useBuildOutput } from '../store/build'
import { useProblems } from '../store/problems'
import { chosenFinding, useDoctor } from '../store/doctor'
import { useFiles } from '../store/files'
import { useHost } from '../store/host'
import { restartLanguage, useLanguage } from '../store/language'
import { showPanel } from '../store/layout'
import { useProject } from '../store/project'
import { useRemote, useTarget } from '../store/remote'
import { askForTrust, useRestricted } from '../store/trust'
import { EarlierNotifications } from './Notifications'
import { Elapsed, Progress } from './primitives/Elapsed'
import { formatCount, formatSeconds } from './primitives/format'
import { Icon } from './primitives/Icon'
import { useLasting, useLastingOverGaps } from './primitives/lasting'

export function StatusBar(): ReactElement {
  const hasProject = useProject((state) => state.project !== null)
  return (
    <footer className="statusbar" data-testid="statusbar" aria-label="Status">
      <MachineItem />
      <TrustItem />
      <Tools />
      <ElectronItem />
      <HostItem />
      {hasProject && <BuildItem />}
      {hasProject && <ProblemItem />}
      {hasProject && <LanguageItem />}
      <span className="grow" />
      <BackgroundItem />
      <EarlierNotifications />
      <Cursor />
    </footer>
  )
}

/** The machine of the project, if it is another. */
function MachineItem(): ReactElement | null {
  const target = useTarget()
  const isLost = useRemote(({ connection }) => connection.state !== 'open')
  if (target === '') return null
  return (
    <span
      className={isLost ? 'status-item tone-warning' : 'status-item'}
      title={`The project, its builds and its calls are on ${machineOf(target)}.`}
      data-testid="status-machine"
    >
      <Icon name={isLost ? 'warning' : 'server'} />
      <span>
        {machineOf(target)}
        {isLost && ': not connected'}
      </span>
    </span>
  )
}

function TrustItem(): ReactElement | null {
  const restricted = useRestricted()
  if (!restricted) return null
  return (
    <button
      type="button"
      className="status-item tone-warning"
      onClick={askForTrust}
      title="Opsmith does not build or run anything in this folder. Click to trust the folder."
      data-testid="status-trust"
    >
      <Icon name="shield" />
      <span>Restricted mode</span>
    </button>
  )
}

/** What builds use and where operators run, as far as it is known. */
function Tools(): ReactElement {
  const report = useDoctor((state) => state.value)
  const built = useBuild((state) => state.value?.report)
  const host = useHost((state) => state.host)
  const compiler = chosenFinding(report, 'compiler')?.name ?? built?.compiler ?? ''
  const version = host?.libtorch ?? ''
  const libtorch =
    version !== ''
      ? `libtorch ${version}`
      : (chosenFinding(report, 'libtorch')?.name ?? built?.libtorch ?? '')
  const gpu = report?.findings.find((item) => item.kind === 'gpu' && item.judgement === 'usable')
  const virtual = chosenFinding(report, 'virtual-gpu')
  const device = report === null ? '' : (virtual?.name ?? gpu?.name ?? 'no CUDA device')
  const trouble = report !== null && !report.ok
  return (
    <button
      type="button"
      className="status-item"
      onClick={() => showPanel('doctor')}
      title="Doctor"
      data-testid="status-tools"
    >
      {trouble && (
        <span className="tone-error">
          <Icon name="warning" label="problems found" />
        </span>
      )}
      {[compiler, libtorch, device].filter(Boolean).map((text) => (
        <span key={text}>{text}</span>
      ))}
      {compiler === '' && libtorch === '' && <span>Doctor</span>}
    </button>
  )
}

/** An Electron that is older than the one Opsmith is made for. */
function ElectronItem(): ReactElement | null {
  const electron = useDoctor((state) => state.value)?.findings.find(
    ({ kind, judgement }) => kind === 'electron' && judgement === 'warning',
  )
  if (!electron) return null
  return (
    <button
      type="button"
      className="status-item tone-warning"
      onClick={() => showPanel('doctor')}
      title={electron.why}
      data-testid="status-electron"
    >
      <Icon name="warning" label="old" />
      <span>{electron.name}</span>
    </button>
  )
}

const hostWords = { starting: 'starting', ready: 'ready', busy: 'busy', ended: 'ended' } as const

function HostItem(): ReactElement | null {
  const host = useHost((state) => state.host)
  const crash = useHost((state) => state.crash)
  const isBusy = useLastingOverGaps(host?.state === 'busy')
  // Generation 0: none was started yet.
  if (!host || host.generation === 0) return null
  const isReady = host.state === 'ready' || host.state === 'busy'
  const shown = isReady ? (isBusy ? 'busy' : 'ready') : host.state
  return (
    <button
      type="button"
      className="status-item"
      onClick={() => showPanel('host-output')}
      title={crash ? crash.message : 'Host output'}
      data-testid="status-host"
      data-state={host.state}
    >
      {crash && (
        <span className="tone-error" data-testid="status-crash">
          <Icon name="crash" /> host {crash.generation} crashed
        </span>
      )}
      <span>
        host {host.generation} {hostWords[shown]}
      </span>
    </button>
  )
}

function BuildItem(): ReactElement {
  const { running, startedAt, progress, value, error } = useBuild((state) => state)
  const cancelled = useBuildOutput((output) => output.cancelled)
  const { done, steps } = progress ?? { done: 0, steps: 0 }
  const { report, loadError, felt } = value ?? { report: null, loadError: null, felt: 0 }
  const isBuilding = running !== null
  const lasts = useLasting(isBuilding)
  const last = cancelled
    ? 'stopped'
    : error || report?.ok === false || loadError
      ? 'failed'
      : report
        ? 'good'
        : 'none'
  const state = lasts ? 'building' : last
  return (
    <button
      type="button"
      className={state === 'failed' ? 'status-item tone-error' : 'status-item'}
      onClick={() => showPanel('build')}
      title={
        state === 'good' && report
          ? `Time from saving the sources to loading the library, including ${formatSeconds(report.seconds)} for the compilers and the linker.`
          : 'Build'
      }
      data-testid="status-build"
      data-state={isBuilding ? 'building' : last}
    >
      {state === 'building' && (
        <>
          <span>building{steps > 0 && ` ${done}/${steps}`}</span>
          <Progress done={done} steps={steps} label="Build" />
          <Elapsed since={startedAt} />
        </>
      )}
      {state === 'failed' && (
        <>
          <Icon name="error" />
          <span>{loadError && report?.ok ? 'loading failed' : 'build failed'}</span>
        </>
      )}
      {state === 'good' && report && (
        <>
          <Icon name="check" />
          <span>built in {formatSeconds(felt)}</span>
        </>
      )}
      {state === 'stopped' && <span>build stopped</span>}
      {state === 'none' && <span>not built</span>}
    </button>
  )
}

function ProblemItem(): ReactElement | null {
  const problems = useProblems()
  if (problems.length === 0) return null
  const errors = problems.filter((item) => item.severity === 'error').length
  const warnings = problems.filter((item) => item.severity === 'warning').length
  const parts = [
    ...(errors > 0 ? [formatCount(errors, 'error')] : []),
    ...(warnings > 0 ? [formatCount(warnings, 'warning')] : []),
  ]
  return (
    <button type="button" className="status-item" onClick={() => showPanel('problems')}>
      {parts.join(', ')}
    </button>
  )
}

const languageWords: Record<LanguageState['state'], string> = {
  idle: '',
  off: '',
  absent: 'no clangd',
  starting: 'starting',
  ready: '',
  restarting: 'ended, restarting',
  failed: 'failed',
}

/** What knows C++ in the editor; nothing while nothing was asked of it. */
function LanguageItem(): ReactElement | null {
  const state = useLanguage((language) => language.state)
  if (state.state === 'idle' || state.state === 'off') return null
  const trouble = state.state === 'restarting' || state.state === 'failed'
  const words = state.state === 'ready' && state.busy ? 'reading' : languageWords[state.state]
  return (
    <button
      type="button"
      className={trouble ? 'status-item tone-warning' : 'status-item'}
      onClick={() => (state.state === 'failed' ? void restartLanguage() : showPanel('doctor'))}
      title={
        state.message !== ''
          ? [state.message, state.hint].filter(Boolean).join('\n')
          : 'Completion, hover, definitions and rename in C++'
      }
      data-testid="status-language"
      data-state={state.state}
      data-pid={state.pid}
    >
      {trouble && <Icon name="warning" label="problem" />}
      <span>{[state.name, words].filter(Boolean).join(' ')}</span>
    </button>
  )
}

/** What goes on without being asked for: one line, in which nothing moves. */
function BackgroundItem(): ReactElement | null {
  const tasks = useBackground()
  if (tasks.length === 0) return null
  const details = tasks.flatMap(({ title, detail }) =>
    detail === '' ? [] : [`${title}: ${detail}`],
  )
  return (
    <span
      className="status-item muted"
      title={details.join('\n')}
      role="status"
      data-testid="status-background"
    >
      {tasks.map(backgroundText).join(' · ')}
    </span>
  )
}

function backgroundText({ title, done }: BackgroundTask): string {
  return done > 0 ? `${title} ${Math.round(100 * done)} %` : title
}

function Cursor(): ReactElement | null {
  const active = useFiles((state) => state.active)
  if (!active) return null
  return (
    <span className="status-item number" data-testid="status-cursor">
      {active.line}:{active.column}
    </span>
  )
}
