import { Component, type ErrorInfo, type ReactNode } from 'react'

import { Button } from './primitives/Button'
import { ErrorView } from './primitives/ErrorView'

type Props = { name: string; children: ReactNode }
type State = { problem: Error | null; where: string }

/** A bug in one panel stays in that panel: the editor next to it must not go down with it. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { problem: null, where: '' }

  static getDerivedStateFromError(problem: Error): Partial<State> {
    return { problem }
  }

  override componentDidCatch(_problem: Error, info: ErrorInfo): void {
    this.setState({ where: info.componentStack ?? '' })
  }

  override render(): ReactNode {
    const { problem, where } = this.state
    if (problem === null) return this.props.children
    const message = `Opsmith could not show ${this.props.name}, because of a bug in Opsmith. Try again, or report the details.`
    const detail = `${problem.stack ?? problem.message}\n${where}`
    return (
      <div className="panel-pad">
        <ErrorView error={{ code: 'internal', message, detail }}>
          <Button onClick={() => this.setState({ problem: null, where: '' })}>Try again</Button>
        </ErrorView>
      </div>
    )
  }
}
