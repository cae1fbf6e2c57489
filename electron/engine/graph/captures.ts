import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { HostPool } from '../host/host-pool'

interface Kept {
  generation: number
  capture: number
  /** For a file: "compute_scripted.pt". */
  archiveName: string
}

/**
 * Graphs that an op host holds, by numbers of our own. The host counts its captures from the start
 * in each generation; a number of ours never means another graph after the host was replaced.
 */
export class Captures {
  private readonly held = new Map<number, Kept>()
  private next = 1

  constructor(private readonly hosts: HostPool) {}

  keep(capture: number, archiveName: string): number {
    const { generation } = this.hosts.state()
    for (const [id, other] of this.held) if (other.generation !== generation) this.held.delete(id)
    const id = this.next
    this.next += 1
    this.held.set(id, { generation, capture, archiveName })
    return id
  }

  /** The op host's number of a capture; an error when the host that held it is gone. */
  find(id: number): Result<number> {
    const kept = this.held.get(id)
    const state = this.hosts.state()
    if (kept && state.pid !== 0 && state.generation === kept.generation) return ok(kept.capture)
    this.held.delete(id)
    const why = kept
      ? 'This graph is gone: the process that captured it has exited.'
      : 'Opsmith has already released this graph.'
    return err('host.unavailable', why, {
      hint: 'Capture the graph again.',
    })
  }

  archiveName(id: number): string {
    return this.held.get(id)?.archiveName ?? 'model.pt'
  }

  /** Forgets captures; those the running host still holds come back by its numbers. */
  take(ids: readonly number[]): number[] {
    return ids.flatMap((id) => {
      const found = this.find(id)
      this.held.delete(id)
      return found.ok ? [found.value] : []
    })
  }
}
