import type { ReactElement } from 'react'

export function EchoPanel(): ReactElement {
  return (
    <div className="echo-panel" data-testid="echo-panel">
      Echo
    </div>
  )
}
