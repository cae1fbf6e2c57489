import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { shortcutText, useCommands } from '../../store/commands'
import { panelFeatures } from '../../store/feature'
import { KeyTable } from './KeyTable'
import { keyRows } from './keys'
import { PanelActions } from './PanelActions'
import { guideOfPanel, showGuide } from './store'

/** What each panel is for, with its keys, and the way to its page. */
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
  useCommands()
  const own = (panel.help.keys ?? []).map(([key, meaning]) => ({ key, meaning }))
  const shown =
    panel.shortcut === undefined
      ? []
      : [{ key: shortcutText(panel.shortcut), meaning: `Show ${title}` }]
  return (
    <section className="help-section" data-testid={`help-on-${id}`}>
      <div className="help-head">
        <h2>{title}</h2>
        <div className="actions">
          <Button onClick={() => showGuide(guideOfPanel(id))}>Guide</Button>
          <PanelActions page={guideOfPanel(id)} />
        </div>
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
