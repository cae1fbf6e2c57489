import type { ReactElement } from 'react'

import { shortcutOf, useCommands } from '../store/commands'
import { panelFeatures, type Area, type Feature, type PanelDeclaration } from '../store/feature'
import { showPanel, useLayout } from '../store/layout'
import { Drawing } from './primitives/Icon'

/** Every panel by name, with what needs a look in it: the tools, then those at the bottom, then those of the window itself. */
export function Rail(): ReactElement {
  useCommands() // shortcuts are shown here
  return (
    <nav className="rail" aria-label="Panels" data-testid="rail">
      <RailPart name="Tools" areas={['left', 'right']} />
      <div>
        <RailPart name="Panels at the bottom" areas={['bottom']} isSmall />
        <RailPart name="Panels of the window" areas={['middle']} />
      </div>
    </nav>
  )
}

type PartProps = {
  name: string
  areas: readonly Area[]
  /** Its names give way first where the window is low. */
  isSmall?: boolean
}

function RailPart({ name, areas, isSmall = false }: PartProps): ReactElement {
  const features = panelFeatures().filter(({ panel }) => areas.includes(panel.area))
  return (
    <div className={isSmall ? 'rail-part rail-small' : 'rail-part'} role="group" aria-label={name}>
      {features.map((feature) => (
        <RailButton key={feature.id} feature={feature} />
      ))}
    </div>
  )
}

function RailButton({ feature }: { feature: Feature & { panel: PanelDeclaration } }): ReactElement {
  const { id, title, panel, Badge } = feature
  const isShown = useLayout((state) => state.visible.has(id))
  const shortcut = shortcutOf(`view.${id}`)
  return (
    <button
      type="button"
      className="rail-button"
      aria-pressed={isShown}
      title={shortcut === '' ? title : `${title} (${shortcut})`}
      data-testid={`rail-${id}`}
      onClick={() => showPanel(id)}
    >
      <span className="rail-icon">
        <Drawing path={panel.icon} />
        {Badge && (
          <span className="rail-badge">
            <Badge />
          </span>
        )}
      </span>
      <span className="rail-name">{title}</span>
    </button>
  )
}
