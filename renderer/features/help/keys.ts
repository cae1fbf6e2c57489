import { shortcutText, titleInGroup, type Command } from '../../store/commands'

export type KeyRow = { key: string; meaning: string }

/** The commands that have a key, in their order. */
export function keyRows(commands: readonly Command[]): KeyRow[] {
  return commands.flatMap((command): KeyRow[] => {
    const keys = [command.shortcut, command.otherKey].filter((key) => key !== undefined)
    if (keys.length === 0) return []
    return [{ key: keys.map(shortcutText).join(' or '), meaning: titleInGroup(command) }]
  })
}

/** The same by group, groups in the order in which they first appear. */
export function keyGroups(commands: readonly Command[]): { group: string; rows: KeyRow[] }[] {
  const groups = [...new Set(commands.map(({ group }) => group))]
  return groups.flatMap((group) => {
    const rows = keyRows(commands.filter((command) => command.group === group))
    return rows.length === 0 ? [] : [{ group, rows }]
  })
}
