import { useEffect, type KeyboardEvent, type ReactElement } from 'react'

import type { ProjectFile } from '../../../electron/contract/project'
import { Drawing, Icon } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { explorerSources, type ExplorerRow } from '../../store/feature'
import { openFile, showPanel } from '../../store/layout'
import { loadSamples, openProject, openSampleCopy, useProject } from '../../store/project'
import { useRecent } from '../../store/recent'
import { kindOf } from './file-kinds'
import { FileTree } from './FileTree'

const roles: readonly ProjectFile['role'][] = ['source', 'header', 'program']

export function ExplorerPanel(): ReactElement {
  const project = useProject((state) => state.project)
  if (!project) return <div className="panel-column" />
  const built = project.files.filter((file) => roles.includes(file.role))
  return (
    <nav className="panel-column explorer" aria-label="Explorer" onKeyDown={moveFocus}>
      <div className="scroll">
        <FileTree />
        {project.remark !== undefined && (
          <p className="muted panel-pad" data-testid="explorer-remark">
            {project.remark}
          </p>
        )}
        {built.length > 0 && (
          <Section title="Sources" note={String(built.length)} open={false}>
            {built.map((file) => (
              <SourceRow key={file.path} file={file} />
            ))}
          </Section>
        )}
        <ManifestSections />
        <Samples />
        <Recent />
      </div>
    </nav>
  )
}

/** What is built and run, in the order of opsmith.json, wherever it lies. */
function SourceRow({ file }: { file: ProjectFile }): ReactElement {
  const { path, role } = file
  return (
    <button
      type="button"
      className="tree-row"
      title={path}
      onClick={() => openFile(path)}
      data-testid={`explorer-source-${path}`}
    >
      <Drawing path={kindOf(path).drawing} />
      <span className="mono ellipsis">{path}</span>
      <span className="muted ellipsis">{role}</span>
    </button>
  )
}

/** What features list of opsmith.json and is in no other panel: exports. */
function ManifestSections(): ReactElement {
  // The list of features never changes, so these hooks are called in the same order each time.
  const sources = explorerSources().map((source) => ({ ...source, rows: source.useRows() }))
  const titles = [...new Set(sources.map((source) => source.section))]
  return (
    <>
      {titles.map((title) => {
        const rows = sources.flatMap((source) => (source.section === title ? source.rows : []))
        if (rows.length === 0) return null
        return (
          <Section key={title} title={title} note={String(rows.length)}>
            {rows.map((row, index) => (
              <Row key={`${row.kind} ${index}`} row={row} />
            ))}
          </Section>
        )
      })}
    </>
  )
}

function Row({ row }: { row: ExplorerRow }): ReactElement {
  const { kind, icon, text, note = '', title } = row
  return (
    <button
      type="button"
      className="tree-row"
      title={`${text}\n${title}`}
      data-testid={`explorer-check-${kind}`}
      onClick={row.open}
    >
      {icon}
      <span className="mono ellipsis">{text}</span>
      {note !== '' && <span className="muted ellipsis">{note}</span>}
    </button>
  )
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

function Recent(): ReactElement | null {
  const others = useRecent(8)
  if (others.length === 0) return null
  return (
    <Section title="History" open={false}>
      {others.map(({ name, text, machine }) => (
        <button
          key={name}
          type="button"
          className="tree-row"
          title={name}
          onClick={() => void openProject(name)}
        >
          <Icon name="history" />
          <span className="ellipsis">{machine === '' ? text : `${text} on ${machine}`}</span>
        </button>
      ))}
    </Section>
  )
}

/** Up and down walk over everything that can be pressed, as in a tree. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.target instanceof HTMLInputElement) return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button, [role=treeitem]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = items[at + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
