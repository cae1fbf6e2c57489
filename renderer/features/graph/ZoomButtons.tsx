import type { ReactElement } from 'react'

import { IconButton } from '../../shell/primitives/Button'
import type { Surface } from './canvas/surface'
import type { ViewId } from './paint/paint-messages'
import { useView } from './view-store'

type Props = { surface: Surface; view: ViewId }

export function ZoomButtons({ surface, view }: Props): ReactElement {
  const zoom = useView((state) => state.zoom[view])
  const by = (factor: number): void => {
    surface.zoomAt(factor, surface.cssWidth / 2, surface.cssHeight / 2)
  }
  return (
    <div className="graph-zoom" role="group" aria-label="Zoom">
      <IconButton icon="minus" label="Zoom out (-)" onClick={() => by(0.8)} />
      <span className="number muted" title="Zoom">
        {zoom >= 0.1 ? Math.round(zoom * 100) : (zoom * 100).toPrecision(2)} %
      </span>
      <IconButton icon="plus" label="Zoom in (+)" onClick={() => by(1.25)} />
      <IconButton
        icon="target"
        label="Fit to a readable size (F); press again to show the whole graph"
        onClick={() => surface.fit()}
        testId="graph-fit"
      />
    </div>
  )
}
