import { appEvents } from '../../contract/app-calls'
import type {
  AppCallName,
  AppEvent,
  AppEventName,
  AppInput,
  AppOutput,
} from '../../contract/app-calls'
import { eventPlaces } from '../../contract/call-places'
import type { Result } from '../../contract/outcome'
import type { Answer, Asked } from '../../contract/serve'
import { connectEngine } from '../../engine/remote/engine-client'
import type { EngineClient, EngineOptions, EngineSession } from '../../engine/remote/engine-client'
import type { NamedTarget } from '../../engine/remote/targets'

/** Seconds until an engine has answered for the first time: a security key may have to be touched. */
const connectSeconds = 60

/** Passes an event on to the window. */
export type SendEvent = <N extends AppEventName>(name: N, payload: AppEvent<N>) => void

export interface ConnectionOptions {
  version: string
  /** See engineName(). */
  copy: string
  /** Seconds that the engine goes on without a connection. */
  keep: number
  /** The session of a window that is gone. */
  takesOver?: EngineSession
  signal: AbortSignal
  onLog: (text: string) => void
  onQuestion: (asked: Asked) => Promise<Answer>
}

/** An engine of another machine. Until the window works with it, its events wait. */
export class Connection {
  private held: (() => void)[] | undefined = []
  private send: SendEvent | undefined
  /** Why it was lost. */
  private lost: { error: Result<never>; isKept: boolean } | undefined
  private onLost: ((error: Result<never>, isKept: boolean) => void) | undefined

  private constructor(
    readonly target: NamedTarget,
    private client: EngineClient | undefined,
  ) {}

  static async to(target: NamedTarget, options: ConnectionOptions): Promise<Result<Connection>> {
    const connection = new Connection(target, undefined)
    const engineOptions: EngineOptions = {
      ...options,
      seconds: connectSeconds,
      onLost: (error, isKept) => {
        connection.lost = { error, isKept }
        // Nobody would look for its engine again.
        if (!connection.onLost) connection.client?.giveUp(error)
        connection.onLost?.(error, isKept)
      },
    }
    const client = await connectEngine(target, engineOptions)
    if (!client.ok) return client
    connection.client = client.value
    connection.listen(client.value)
    return { ok: true, value: connection }
  }

  private listen(client: EngineClient): void {
    for (const name of Object.keys(appEvents) as AppEventName[]) {
      if (eventPlaces[name].where !== 'there') continue
      client.on(name, (payload) => {
        const pass = (): void => {
          this.send?.(name, payload)
        }
        if (this.held) this.held.push(pass)
        else pass()
      })
    }
  }

  /** Where another process can find its engine. */
  get place(): EngineSession | undefined {
    return this.client?.place
  }

  get isLost(): boolean {
    return this.lost !== undefined
  }

  /** From now on the window works with it; what it has sent so far comes first. */
  begin(send: SendEvent, onLost: (error: Result<never>, isKept: boolean) => void): void {
    this.send = send
    this.onLost = onLost
    for (const pass of this.held ?? []) pass()
    this.held = undefined
    if (this.lost) onLost(this.lost.error, this.lost.isKept)
  }

  async call<N extends AppCallName>(name: N, input: AppInput<N>): Promise<Result<AppOutput<N>>> {
    if (!this.client) throw new Error('not connected')
    return await this.client.call(name, input)
  }

  /** After a lost connection: goes on with the same engine, if that has not ended. */
  async resume(signal: AbortSignal): ReturnType<EngineClient['resume']> {
    if (!this.client) throw new Error('not connected')
    return await this.client.resume(signal)
  }

  /** The engine does not come back. */
  giveUp(error: Result<never>): void {
    this.client?.giveUp(error)
  }

  /** No more comes from it. */
  async close(): Promise<void> {
    this.send = undefined
    this.onLost = undefined
    this.held = undefined
    await this.client?.close()
  }
}
