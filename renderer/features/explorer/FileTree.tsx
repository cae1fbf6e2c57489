import { useMemo, useState, type KeyboardEvent, type ReactElement } from 'react'

import { ContextMenu } from '../../shell/primitives/ContextMenu'
import { IconButton } from '../../shell/primitives/Button'
import { Section } from '../../shell/primitives/Section'
import { changedFolders, stateOf, useFileStates } from '../../store/file-states'
import { projectPath } from '../../store/files'
import { useProblems } from '../../store/problems'
import { useProject } from '../../store/project'
import { menuFor, type MenuTarget } from './menu'
import { NameField } from './NameField'
import { parentOf, rowsOf, setOpen, treeStore, useTree, type TreeRow } from './tree'
import { beginNaming, deleteRow, openRow } from './tree-actions'
import { TreeRowView, type Problems } from './TreeRowView'

type Menu = { target: MenuTarget; x: number; y: number }

/** The files of the project as they lie in its folder. */
export function FileTree(): ReactElement {
  const folders = useTree((state) => state.folders)
  const open = useTree((state) => state.open)
  const selected = useTree((state) => state.selected)
  const naming = useTree((state) => state.naming)
  const isTarget = useTree((state) => state.dropInto === '')
  const name = useProject((state) => state.project?.name ?? '')
  const branch = useFileStates((state) => state.branch)
  const states = useFileStates((state) => state.states)
  const changed = useMemo(() => changedFolders(states), [states])
  const problems = useProblemCounts()
  const [menu, setMenu] = useState<Menu | null>(null)
  const rows = useMemo(() => rowsOf({ folders, open }), [folders, open])
  const isCut = Object.values(folders).some((folder) => folder.isCut)
  const tabStop = rows.some((row) => row.path === selected) ? selected : (rows[0]?.path ?? '')
  const newIn = naming !== null && naming.kind !== 'rename' ? naming : null

  const parentForNew = (): string => {
    const row = rows.find((one) => one.path === selected)
    if (!row) return ''
    return row.kind === 'folder' ? row.path : parentOf(row.path)
  }
  return (
    <Section
      title={name}
      note={branch}
      actions={
        <>
          <IconButton
            icon="plus"
            label="New file"
            testId="explorer-new-file"
            onClick={() => beginNaming({ kind: 'newFile', parent: parentForNew() })}
          />
          <IconButton
            icon="folder"
            label="New folder"
            testId="explorer-new-folder"
            onClick={() => beginNaming({ kind: 'newFolder', parent: parentForNew() })}
          />
        </>
      }
    >
      <div
        className={isTarget ? 'explorer-tree explorer-target' : 'explorer-tree'}
        role="tree"
        aria-label="Files"
        data-drop-folder=""
        data-testid="explorer-tree"
      >
        {newIn?.parent === '' && <NameField naming={newIn} depth={0} />}
        {rows.map((row) => {
          const renamed = naming?.kind === 'rename' && naming.path === row.path ? naming : null
          if (renamed) return <NameField key={row.path} naming={renamed} depth={row.depth} />
          const view = (
            <TreeRowView
              key={row.path}
              row={row}
              isTabStop={row.path === tabStop}
              state={stateOf(states, row.path)}
              hasChanges={changed.has(row.path)}
              problems={problems.get(row.path)}
              onOpen={() => openRow(row)}
              onKey={(event) => onKey(event, row, rows)}
              onMenu={(event) => {
                event.preventDefault()
                treeStore.setState({ selected: row.path })
                const box = event.currentTarget.getBoundingClientRect()
                // The menu key has no pointer.
                const isKey = event.clientX === 0 && event.clientY === 0
                const x = isKey ? box.left + 24 : event.clientX
                const y = isKey ? box.bottom : event.clientY
                setMenu({ target: { path: row.path, kind: row.kind }, x, y })
              }}
            />
          )
          if (newIn === null || newIn.parent !== row.path || row.kind !== 'folder') return view
          return [view, <NameField key="new" naming={newIn} depth={row.depth + 1} />]
        })}
      </div>
      {isCut && (
        <p className="muted panel-pad">
          Some folders have more than 1,000 entries: only the first 1,000 are shown.
        </p>
      )}
      {menu && (
        <ContextMenu
          name={`Actions of ${menu.target.path}`}
          x={menu.x}
          y={menu.y}
          sections={menuFor(menu.target)}
          onClose={() => setMenu(null)}
        />
      )}
    </Section>
  )
}

function useProblemCounts(): ReadonlyMap<string, Problems> {
  const problems = useProblems()
  return useMemo(() => {
    const counts = new Map<string, Problems>()
    for (const { file, severity } of problems) {
      if (file === '') continue
      const { path } = projectPath(file)
      const { errors, all } = counts.get(path) ?? { errors: 0, all: 0 }
      counts.set(path, { errors: errors + (severity === 'error' ? 1 : 0), all: all + 1 })
    }
    return counts
  }, [problems])
}

function focusPath(path: string): void {
  treeStore.setState({ selected: path })
  document.querySelector<HTMLElement>(`[data-tree-path="${CSS.escape(path)}"]`)?.focus()
}

/** Up and down are the Explorer's, which walk on into its other sections. */
function onKey(event: KeyboardEvent<HTMLElement>, row: TreeRow, rows: readonly TreeRow[]): void {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
  const at = rows.indexOf(row)
  const actions: Readonly<Record<string, () => void>> = {
    Enter: () => openRow(row),
    ' ': () => openRow(row),
    F2: () => {
      treeStore.setState({ selected: row.path })
      beginNaming({ kind: 'rename', path: row.path })
    },
    Delete: () => void deleteRow(row),
    ArrowRight: () => {
      if (row.kind === 'folder' && !row.isOpen) setOpen(row.path, true)
      else if (row.isOpen) focusPath(rows[at + 1]?.path ?? row.path)
    },
    ArrowLeft: () => {
      if (row.isOpen) setOpen(row.path, false)
      else if (row.depth > 0) focusPath(parentOf(row.path))
    },
    Home: () => focusPath(rows[0]?.path ?? row.path),
    End: () => focusPath(rows.at(-1)?.path ?? row.path),
  }
  const action = actions[event.key]
  if (!action) return
  event.preventDefault()
  event.stopPropagation()
  action()
}
