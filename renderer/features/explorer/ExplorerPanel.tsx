import { useEffect, type KeyboardEvent, type ReactElement } from 'react'

import type { ProjectFile } from '../../../electron/contract/project'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { benchNames } from '../timings/bench-case'
import { chooseBenchmark } from '../timings/bench-run'
import { gradcheckStore } from '../gradcheck/gradcheck'
import { namesOf } from '../gradcheck/gradcheck-case'
import { chooseEntry } from '../gradcheck/gradcheck-run'
import { showPanel } from '../../store/layout'
import { useOpcheck } from '../operator-checks/opcheck'
import { chooseCheck } from '../operator-checks/opcheck-run'
import { loadSamples, openProject, openSampleCopy, useProject } from '../../store/project'
import { chooseCall } from '../run/run'
import { useSettings } from '../../store/settings'
import { FileRow } from './FileRow'
import { NewFile } from './NewFile'

const groups: { title: string; roles: ProjectFile['role'][] }[] = [
  { title: 'Sources', roles: ['source', 'header'] },
  { title: 'Program', roles: ['program'] },
  { title: 'Project', roles: ['manifest', 'other'] },
]

export function ExplorerPanel(): ReactElement {
  const project = useProject((state) => state.project)
  if (!project) return <div className="panel-column" />
  return (
    <nav className="panel-column explorer" aria-label="Explorer" onKeyDown={moveFocus}>
      <div className="scroll">
        {groups.map((group) => {
          const files = project.files.filter((file) => group.roles.includes(file.role))
          if (files.length === 0) return null
          return (
            <Section
              key={group.title}
              title={group.title}
              {...(group.title === 'Sources' ? { actions: <NewFile /> } : {})}
            >
              {files.map((file) => (
                <FileRow key={file.path} file={file} />
              ))}
            </Section>
          )
        })}
        <Checks />
        <Benchmarks />
        <Exports />
        <Samples />
        <Recent current={project.folder} />
      </div>
    </nav>
  )
}

/** Calls compared with a reference, gradchecks, operator checks: what the project checks about itself. */
function Checks(): ReactElement | null {
  const manifest = useProject((state) => state.project?.manifest)
  const operators = useOpcheck((state) => state.entries)
  const calls = manifest?.calls ?? []
  const gradchecks = manifest?.gradchecks ?? []
  const total = calls.length + gradchecks.length + operators.length
  if (total === 0) return null
  return (
    <Section title="Checks" note={String(total)}>
      {calls.map((call, index) => (
        <CheckRow
          key={`call ${index}`}
          icon="play"
          kind="run"
          text={call.op}
          title={call.reference === undefined ? 'no reference' : `compared with ${call.reference}`}
          onClick={() => showCall(index)}
        />
      ))}
      {gradchecks.map((entry, index) => {
        const { title, particular } = namesOf(entry, manifest?.inputs ?? {})
        return (
          <CheckRow
            key={`gradcheck ${index}`}
            icon="target"
            kind="gradcheck"
            text={entry.name ?? entry.op}
            note={particular}
            title={`gradcheck of ${title}${particular === '' ? '' : `, ${particular}`}`}
            onClick={() => showGradcheck(index)}
          />
        )
      })}
      {operators.map((entry, index) => (
        <CheckRow
          key={`operator ${index}`}
          icon="flask"
          kind="operator"
          text={entry.name ?? entry.op}
          title={`operator checks: ${entry.checks?.join(', ') ?? 'all'}`}
          onClick={() => showOperatorCheck(index)}
        />
      ))}
    </Section>
  )
}

function Benchmarks(): ReactElement | null {
  const manifest = useProject((state) => state.project?.manifest)
  const benchmarks = manifest?.benchmarks ?? []
  if (benchmarks.length === 0) return null
  return (
    <Section title="Benchmarks" note={String(benchmarks.length)}>
      {benchmarks.map((entry, index) => {
        const { title, particular } = benchNames(entry, manifest?.inputs ?? {})
        return (
          <CheckRow
            key={index}
            icon="clock"
            kind="benchmark"
            text={entry.name ?? entry.op}
            title={`benchmark of ${title}${particular === '' ? '' : `, ${particular}`}`}
            onClick={() => {
              showPanel('timings')
              chooseBenchmark(index)
            }}
          />
        )
      })}
    </Section>
  )
}

/** The forms that opsmith.json names. */
function Exports(): ReactElement | null {
  const forms = useProject((state) => state.project?.manifest?.exports) ?? []
  if (forms.length === 0) return null
  return (
    <Section title="Exports" note={String(forms.length)}>
      {forms.map((form) => (
        <CheckRow
          key={form}
          icon="folder"
          kind="export"
          text={form}
          title="exported by opsmith.json"
          onClick={() => showPanel('export')}
        />
      ))}
    </Section>
  )
}

type CheckRowProps = {
  icon: IconName
  kind: 'run' | 'gradcheck' | 'operator' | 'benchmark' | 'export'
  text: string
  /** What tells it from others of the same operator. */
  note?: string
  title: string
  onClick: () => void
}

function CheckRow({ icon, kind, text, note = '', title, onClick }: CheckRowProps): ReactElement {
  return (
    <button
      type="button"
      className="tree-row"
      title={`${text}\n${title}`}
      data-testid={`explorer-check-${kind}`}
      onClick={onClick}
    >
      <Icon name={icon} label={kind} />
      <span className="mono ellipsis">{text}</span>
      {note !== '' && <span className="muted ellipsis">{note}</span>}
    </button>
  )
}

function showGradcheck(index: number): void {
  gradcheckStore.setState({ tab: 'gradcheck' })
  showPanel('gradcheck')
  chooseEntry(index)
}

function showOperatorCheck(index: number): void {
  gradcheckStore.setState({ tab: 'operator' })
  showPanel('gradcheck')
  chooseCheck(index)
}

function Samples(): ReactElement {
  const samples = useProject((state) => state.samples)
  useEffect(() => {
    if (samples === null) void loadSamples()
  }, [samples])
  return (
    <Section
      title="Samples"
      open={false}
      actions={
        <button type="button" className="link" onClick={() => showPanel('gallery')}>
          Gallery
        </button>
      }
    >
      {(samples ?? []).map((sample) => (
        <button
          key={sample.name}
          type="button"
          className="tree-row"
          title={`Open a copy. ${sample.description}`}
          onClick={() => void openSampleCopy(sample.name)}
          data-testid={`explorer-sample-${sample.name}`}
        >
          <Icon name="flask" />
          <span className="ellipsis">{sample.name}</span>
          {sample.missing !== '' && <Icon name="warning" label={`needs ${sample.missing}`} />}
        </button>
      ))}
    </Section>
  )
}

function Recent({ current }: { current: string }): ReactElement | null {
  const recent = useSettings((settings) => settings.recentProjects)
  const others = recent.filter((folder) => folder !== current).slice(0, 8)
  if (others.length === 0) return null
  return (
    <Section title="History" open={false}>
      {others.map((folder) => (
        <button
          key={folder}
          type="button"
          className="tree-row"
          title={folder}
          onClick={() => void openProject(folder)}
        >
          <Icon name="history" />
          <span className="ellipsis">{folder.slice(folder.lastIndexOf('/') + 1)}</span>
        </button>
      ))}
    </Section>
  )
}

/** Up and down walk over everything that can be pressed, as in a tree. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.target instanceof HTMLInputElement) return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = items[at + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

function showCall(index: number): void {
  showPanel('run')
  void chooseCall(index)
}
