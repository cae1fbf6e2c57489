import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { panelFeatures } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { guideOfPanel } from './store'

/** On the page about a panel: opens it. */
export function PanelActions({ page }: { page: string }): ReactElement | null {
  const hasProject = useProject((state) => state.project !== null)
  const feature = panelFeatures().find(({ id }) => guideOfPanel(id) === page)
  if (!feature || feature.id === 'help') return null
  if (!hasProject && !feature.panel.Page) return null
  return <Button onClick={() => showPanel(feature.id)}>Open {feature.title}</Button>
}
