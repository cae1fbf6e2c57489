import { stoppedByUser } from '../engine/host/host-client'

/** Work that the window can end, by the names that it gave it. */
export class Jobs {
  private readonly running = new Map<string, AbortController>()

  /** Runs work that cancel() can end. */
  async run<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    this.running.set(id, controller)
    try {
      return await work(controller.signal)
    } finally {
      if (this.running.get(id) === controller) this.running.delete(id)
    }
  }

  cancelAll(): void {
    for (const controller of this.running.values()) controller.abort()
  }

  /**
   * Whether there was such a job.
   * @param byUser its end is the user's wish, not of newer work in its place: it says where it was
   */
  cancel(id: string, byUser: boolean): boolean {
    const controller = this.running.get(id)
    controller?.abort(byUser ? stoppedByUser : undefined)
    return controller !== undefined
  }
}
