import { useEffect, type ReactElement } from 'react'

import type { ExportReport } from '../../../electron/contract/export'
import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { Progress } from '../../shell/primitives/Elapsed'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { formatCount, formatSeconds } from '../../shell/primitives/format'
import { RunView } from '../../shell/primitives/RunView'
import { useBuild } from '../../store/build'
import { useDoctor } from '../../store/doctor'
import { useExport } from './store'
import { changesJob, choicesJob, exportJob, useExported, useIsExporting } from './jobs'
import { useJob } from '../../store/job'
import { buildStamp, useFiles } from '../../store/files'
import { useLayout } from '../../store/layout'
import { useProject } from '../../store/project'
import { useRuns } from '../../store/runs'
import { ExportResults } from './ExportResults'
import { FormList } from './FormList'
import { ReviewView } from './ReviewView'
import { exportRuns } from './runs'
import { TargetBar } from './TargetBar'
import { WheelRunResults } from './WheelRunResults'

export function ExportPanel(): ReactElement {
  const folder = useProject((state) => state.project?.folder)
  // What is possible depends on the sources, and what can be tried on the tools that are here.
  const sources = useFiles(buildStamp)
  const manifest = useProject((state) => state.project?.manifest)
  const tools = useDoctor((state) => state.value)
  const isReviewing = useExport((state) => state.review !== null)
  const isRun = useRuns(exportRuns, (state) => state.shownRun !== null)
  // A build comes first, and a panel that is hidden needs no answer.
  const isShown = useLayout((state) => state.visible.has('export'))
  const isBuilding = useBuild((state) => state.running !== null)
  useEffect(() => {
    if (isShown && !isBuilding) void choicesJob.run()
  }, [folder, sources, manifest, tools, isShown, isBuilding])
  return (
    <div className="panel-column split-panel export-panel" data-testid="export-panel">
      <div className="panel-bar split-bar wraps" data-testid="export-bar">
        {!isRun && <State />}
        <span className="grow" />
        <PanelMenu />
        <EnlargeButton panel="export" />
      </div>
      <div className="split-body">
        <FormList />
        <div className="split-main scroll" data-testid="export-main">
          {isRun ? (
            <RunView of={exportRuns}>{(results) => <WheelRunResults results={results} />}</RunView>
          ) : (
            <>
              <TargetBar />
              {isReviewing ? <ReviewView /> : <ExportResults />}
            </>
          )}
        </div>
      </div>
    </div>
  )
}

/** What is going on, or what came of it, in one line. */
function State(): ReactElement {
  const isExporting = useIsExporting()
  if (!isExporting) return <Verdict />
  return (
    <>
      <Doing />
      <FormsDone />
    </>
  )
}

function Doing(): ReactElement {
  const isLooking = useJob(changesJob, (state) => state.running !== null)
  const text = useExported(({ forms, isStopped }) => {
    if (isLooking) return 'Building, and reading the earlier export …'
    if (isStopped) return 'Stopping …'
    const steps = forms.flatMap(({ form, running }) =>
      running ? [`${form}: ${running.name}`] : [],
    )
    if (steps.length > 0) return steps.join(' · ')
    return forms.some((one) => one.steps.length > 0)
      ? 'Copying to an empty folder …'
      : 'Building, and recording the calls …'
  })
  return (
    <span className="ellipsis" role="status" title={text} data-testid="export-doing">
      {text}
    </span>
  )
}

function FormsDone(): ReactElement | null {
  const isWriting = useJob(exportJob, (state) => state.running !== null)
  const total = useExported(({ forms }) => forms.length)
  const done = useExported(({ forms }) => forms.filter((form) => form.report !== null).length)
  return !isWriting || total < 2 ? null : (
    <>
      <Progress done={done} steps={total} label="Forms" />
      <span className="number">
        {done} of {total}
      </span>
    </>
  )
}

function Verdict(): ReactElement | null {
  const report = useExported((state) => state.report)
  const isStopped = useExported((state) => state.isStopped)
  const isReviewing = useExport((state) => state.review !== null)
  if (isReviewing) return <span role="status">Nothing is written yet</span>
  if (isStopped) {
    return (
      <span className="muted" role="status" data-testid="export-verdict" data-verdict="stopped">
        <Icon name="stop" /> Stopped
      </span>
    )
  }
  if (!report) return null
  const { word, tone, icon, text } = verdictOf(report)
  return (
    <span className={tone} role="status" data-testid="export-verdict" data-verdict={word}>
      <Icon name={icon} /> {text}, <span className="number">{formatSeconds(report.seconds)}</span>
    </span>
  )
}

/** "Exported" without a reserve is only what was tried in all of its parts. */
function verdictOf({ ok, forms }: ExportReport): {
  word: string
  tone: string
  icon: IconName
  text: string
} {
  const all = formatCount(forms.length, 'form')
  if (!ok) {
    const failed = forms.filter((form) => !form.ok).length
    return {
      word: 'failed',
      tone: 'tone-error',
      icon: 'error',
      text: forms.length === 1 ? 'The export failed' : `${failed} of ${all} failed`,
    }
  }
  const isWhole = forms.every((form) => form.steps.every((step) => step.status === 'ok'))
  if (isWhole) {
    return { word: 'done', tone: 'tone-ok', icon: 'check', text: `${all} exported and proven` }
  }
  return {
    word: 'partly',
    tone: 'tone-warning',
    icon: 'warning',
    text: `${all} exported, but not all proof steps ran`,
  }
}

function PanelMenu(): ReactElement {
  // What can be done depends on these.
  useExport((state) => `${state.review === null} ${String(state.chosen)}`)
  useIsExporting()
  return (
    <CommandMenu
      name="Export"
      testId="export-menu"
      sections={[
        ['export.run', 'export.diff', 'export.stop'],
        ['export.folder', 'export.keep'],
      ]}
    />
  )
}
