import type { ReactElement } from 'react'
import { useStore } from 'zustand'

import { runCommand, shortcutOf } from '../store/commands'
import { tasks, taskTitles } from '../store/feature'
import { forgetLayout, namedLayouts } from './layouts'
import { Menu, type MenuItem } from './primitives/Menu'

const moves = [
  ['layout.half', 'Resize to half of the window'],
  ['layout.third', 'Resize to a third of the window'],
  ['view.enlarge', 'Fill the window'],
  ['layout.centre', 'Move the panel to the centre'],
  ['layout.below', 'Move the panel below its neighbours'],
] as const

/** Layouts by task and by name, and what can be done with the panel in front. */
export function LayoutMenu(): ReactElement {
  const named = Object.keys(useStore(namedLayouts))
  const command = (id: string, label: string): MenuItem => ({
    key: id,
    label,
    note: shortcutOf(id),
    testId: `menu-${id}`,
    run: () => runCommand(id),
  })
  return (
    <Menu
      name="Layout of the window"
      testId="toolbar-layout"
      label="Layout"
      sections={[
        tasks.map((task) => command(`layout.${task}`, taskTitles[task])),
        [
          ...named.map((name) => command(`layout.named.${name}`, name)),
          command('layout.name', 'Save this layout …'),
          ...named.map((name) => ({
            key: `delete ${name}`,
            label: `Delete “${name}”`,
            run: () => forgetLayout(name),
          })),
        ],
        moves.map(([id, label]) => command(id, label)),
      ]}
    />
  )
}
