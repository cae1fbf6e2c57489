import type { Result } from '../../contract/outcome'
import { ok } from '../../contract/outcome'
import type { NamedTarget } from '../../engine/remote/targets'
import type { Connection } from './connection'

type Connect = (signal: AbortSignal) => Promise<Result<Connection>>

/** The connection of the dialog that looks for a project on another machine, until one is opened. */
export class DialogConnection {
  private connection: Connection | undefined
  private making:
    | { target: string; made: Promise<Result<Connection>>; stop: () => void }
    | undefined

  /** @param end closes a connection that is no longer needed */
  constructor(private readonly end: (connection: Connection) => void) {}

  private current(target: NamedTarget): Connection | undefined {
    const { connection } = this
    return connection?.target.name === target.name && !connection.isLost ? connection : undefined
  }

  /** The connection with this target, which is no longer the dialog's; undefined if there is none. */
  async take(target: NamedTarget): Promise<Connection | undefined> {
    if (this.making?.target === target.name) await this.making.made
    const connection = this.current(target)
    if (connection) this.connection = undefined
    return connection
  }

  /** Keeps a connection for the dialog, instead of the one before. */
  keep(connection: Connection): void {
    const before = this.connection
    this.connection = connection
    if (before && before !== connection) this.end(before)
  }

  /**
   * A connection with this target; who asks while it is being made waits for the same.
   * @param mayCopy `connect` copies an engine that is not there; the one that is being made may not
   */
  async get(target: NamedTarget, connect: Connect, mayCopy: boolean): Promise<Result<Connection>> {
    const current = this.current(target)
    if (current) return ok(current)
    if (this.making?.target === target.name) {
      const same = await this.making.made
      if (same.ok || !mayCopy || same.error.code !== 'target.noOpsmith') return same
    }
    this.stop()
    const controller = new AbortController()
    const made = connect(controller.signal)
    const making = {
      target: target.name,
      made,
      stop: () => {
        controller.abort()
      },
    }
    this.making = making
    const connection = await made
    const isWanted = this.making === making
    if (isWanted) this.making = undefined
    if (!connection.ok) return connection
    if (isWanted) this.keep(connection.value)
    else this.end(connection.value)
    return connection
  }

  /** The dialog is closed, or looks at another machine. */
  stop(): void {
    this.making?.stop()
    this.making = undefined
    const { connection } = this
    this.connection = undefined
    if (connection) this.end(connection)
  }
}
