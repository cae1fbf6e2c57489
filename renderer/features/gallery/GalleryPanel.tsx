import type { ReactElement } from 'react'

import { Gallery } from './Gallery'

/** The gallery as a tab next to the files. */
export function GalleryPanel(): ReactElement {
  return (
    <div className="panel-column page">
      <div className="scroll panel-pad">
        <h2>Samples</h2>
        <p className="muted">Each sample opens as a copy that you can change.</p>
        <Gallery />
      </div>
    </div>
  )
}
