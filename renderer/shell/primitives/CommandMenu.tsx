import type { ReactElement } from 'react'

import { commandStore, runCommand, shortcutText } from '../../store/commands'
import { Menu, type MenuItem } from './Menu'

type Props = {
  /** What the commands' titles begin with, before a colon; left out in the list. */
  name: string
  testId: string
  /** Ids of commands. */
  sections: readonly (readonly string[])[]
}

/** Commands of a panel as a list, with their shortcuts. */
export function CommandMenu({ name, testId, sections }: Props): ReactElement {
  const item = (id: string): MenuItem => {
    const command = commandStore.getState().commands.find((one) => one.id === id)
    return {
      key: id,
      label: command?.title.replace(`${name}: `, '') ?? id,
      ...(command?.shortcut === undefined ? {} : { note: shortcutText(command.shortcut) }),
      disabled: !(command?.enabled?.() ?? true),
      testId: id,
      run: () => runCommand(id),
    }
  }
  return (
    <Menu
      name={name}
      testId={testId}
      align="right"
      label="More"
      sections={sections.map((ids) => ids.map(item))}
    />
  )
}
