import { useEffect, useRef, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { shortcutText, useCommands } from '../../store/commands'
import { panelFeatures } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { KeyTable } from './KeyTable'
import { keyRows } from './keys'
import { useHelp } from './store'

/** What each panel is for, with its keys; the one that is asked about is brought into view. */
export function PanelsView(): ReactElement {
  return (
    <div className="scroll panel-pad">
      {panelFeatures()
        .filter(({ id }) => id !== 'help')
        .map((feature) => (
          <PanelSection key={feature.id} feature={feature} />
        ))}
    </div>
  )
}

type SectionProps = { feature: ReturnType<typeof panelFeatures>[number] }

function PanelSection({ feature }: SectionProps): ReactElement {
  const { id, title, panel } = feature
  const asked = useHelp((state) => (state.asked.panel === id ? state.asked : null))
  const hasProject = useProject((state) => state.project !== null)
  useCommands()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!asked) return
    heading.current?.scrollIntoView({ block: 'start' })
    heading.current?.focus()
  }, [asked])
  const own = (panel.help.keys ?? []).map(([key, meaning]) => ({ key, meaning }))
  const shown =
    panel.shortcut === undefined
      ? []
      : [{ key: shortcutText(panel.shortcut), meaning: `Show ${title}` }]
  return (
    <section
      className={asked ? 'help-section asked' : 'help-section'}
      data-testid={`help-on-${id}`}
      data-asked={asked !== null}
    >
      <div className="help-head">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {(hasProject || panel.Page) && <Button onClick={() => showPanel(id)}>Open {title}</Button>}
      </div>
      {panel.help.about.map((paragraph) => (
        <p key={paragraph} className="selectable">
          {paragraph}
        </p>
      ))}
      <KeyTable name={title} rows={[...shown, ...keyRows(feature.commands ?? []), ...own]} />
    </section>
  )
}
