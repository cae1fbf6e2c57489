import type { MenuItem } from '../../shell/primitives/Menu'
import { runCommand, shortcutOf } from '../../store/commands'
import { fileActionsFor, type FileAction } from '../../store/feature'
import { isHere } from '../../store/project'
import { parentOf, type TreeRow } from './tree'
import { beginNaming, copyPath, deleteRow, duplicateRow, openRow, revealRow } from './tree-actions'

export type MenuTarget = Pick<TreeRow, 'path' | 'kind'>

function item(key: string, label: string, run: () => void, note?: string): MenuItem {
  return { key, label, run, testId: `explorer-menu-${key}`, ...(note !== undefined && { note }) }
}

/** The menu of a row: the Explorer's own entries, and those of other features after the first ones. */
export function menuFor(target: MenuTarget): MenuItem[][] {
  const { path, kind } = target
  const parent = kind === 'folder' ? path : parentOf(path)
  return [
    [
      ...(kind === 'file'
        ? [item('open', 'Open', () => openRow({ ...target, isOpen: false }), 'Enter')]
        : []),
      item(
        'newOperator',
        'New operator …',
        () => runCommand('project.newOperator'),
        shortcutOf('project.newOperator'),
      ),
      item('newFile', 'New file …', () => beginNaming({ kind: 'newFile', parent })),
      item('newFolder', 'New folder …', () => beginNaming({ kind: 'newFolder', parent })),
    ],
    ...sectionsOf(target),
    [
      item('duplicate', 'Duplicate', () => void duplicateRow(path)),
      item('rename', 'Rename …', () => beginNaming({ kind: 'rename', path }), 'F2'),
      item('delete', 'Delete', () => void deleteRow(target), 'Delete'),
    ],
    [
      ...(isHere()
        ? [item('reveal', 'Reveal in the file manager', () => void revealRow(path))]
        : []),
      item('copyPath', 'Copy path', () => void copyPath(path, true)),
      item('copyRelativePath', 'Copy relative path', () => void copyPath(path, false)),
    ],
  ]
}

/** What other features offer, in sections of ten. */
function sectionsOf({ path, kind }: MenuTarget): MenuItem[][] {
  if (kind === 'linkedFolder') return []
  const actions = fileActionsFor({ path, kind })
  const sectionOf = ({ order }: FileAction): number => Math.floor(order / 10)
  const sections = [...new Set(actions.map(sectionOf))]
  return sections.map((section) =>
    actions
      .filter((action) => sectionOf(action) === section)
      .map(({ id, title, run }) => item(id, title, () => void run(path))),
  )
}
