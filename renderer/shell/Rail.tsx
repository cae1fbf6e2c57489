import type { ReactElement } from 'react'

import { shortcutOf, useCommands } from '../store/commands'
import { panelFeatures, type Feature, type PanelDeclaration } from '../store/feature'
import { showPanel, useLayout } from '../store/layout'
import { Drawing } from './primitives/Icon'

/** Every panel by name, with what needs a look in it. Panels of the window itself are at the foot. */
export function Rail(): ReactElement {
  useCommands() // shortcuts are shown here
  const panels = panelFeatures().filter(({ panel }) => panel.area !== 'bottom')
  const isOfWindow = ({ panel }: { panel: PanelDeclaration }): boolean => panel.area === 'middle'
  return (
    <nav className="rail" aria-label="Panels" data-testid="rail">
      <div className="rail-part">
        {panels
          .filter((feature) => !isOfWindow(feature))
          .map((feature) => (
            <RailButton key={feature.id} feature={feature} />
          ))}
      </div>
      <div className="rail-part">
        {panels.filter(isOfWindow).map((feature) => (
          <RailButton key={feature.id} feature={feature} />
        ))}
      </div>
    </nav>
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
