/** Steps one block of the kernels that a process runs. */
import type { SourcePlace } from '../../../contract/gpu-findings'
import type {
  Index3,
  StepMode,
  StepView,
  WrittenStepMessage,
  WrittenStop,
} from '../../../contract/gpu-stepping'
import { absoluteFile } from '../../host/symbolize'
import { DebugInfo } from '../debug-info'
import { StepConnection } from './step-connection'
import { lanesOfWarp, viewOfBlock } from './stopped-block'
import type { Allocation, BlockReader, FramePlace, MemoryPlace } from './stopped-block'

export interface StepRequest {
  /** Where threads stop: an absolute path, and a line of it. */
  target: SourcePlace
  block: Index3
  /** Relative file names in the process start at this folder. */
  folder: string
  /** Whether a file belongs to the user: threads do not stop in others. */
  isUserFile: (file: string) => boolean
  /** A block that was stepped has ended. */
  onFinished?: (kernel: string) => void
}

/** What a session waits for: the block has stopped, or the process has ended. */
export type StepEvent = { kind: 'stopped'; view: StepView } | { kind: 'ended' }

export class StepSession {
  private readonly connection = new StepConnection((message) => this.handle(message))
  private readonly modules = new Map<string, DebugInfo>()
  /** By the number that the process knows them by; 0 is none. */
  private readonly files: string[] = ['']
  /** The first instruction that was seen of each line of a function. */
  private readonly firstOfLine = new Map<string, number>()
  private stop: WrittenStop | undefined
  hasEnded = false
  private wake: () => void = () => undefined
  /** The line where threads stop: the first with code from the wanted one on. */
  target: SourcePlace
  hasStopped = false
  /** Called when the block goes on after a stop. */
  onGo: () => void = () => undefined

  constructor(private readonly request: StepRequest) {
    this.target = request.target
  }

  /** Resolves to the environment of the process. */
  async listen(): Promise<Record<string, string>> {
    return { OPSMITH_GPU_STEP: await this.connection.listen() }
  }

  /** The process has ended, or nobody steps it any more. */
  end(): void {
    this.hasEnded = true
    this.stop = undefined
    this.connection.close()
    this.wake()
  }

  get isStopped(): boolean {
    return this.stop !== undefined
  }

  /** Waits until the block has stopped; the variables are those of the first warp with an active lane. */
  async next(): Promise<StepEvent> {
    while (!this.stop) {
      if (this.hasEnded) return { kind: 'ended' }
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    const active = this.stop.lanes.findIndex(({ state }) => state === 'active')
    return { kind: 'stopped', view: await this.view(Math.max(0, Math.floor(active / lanesOfWarp))) }
  }

  /** Of a stopped block, with the variables of a warp. */
  async view(warp: number): Promise<StepView> {
    if (!this.stop) throw new Error('the block has not stopped')
    return await viewOfBlock(this.stop, warp, this.reader)
  }

  /** Lets the block go on. */
  go(mode: StepMode): void {
    this.stop = undefined
    this.connection.send(`go ${mode}`)
    this.onGo()
  }

  /** Threads stop here from now on. */
  runTo(target: SourcePlace): void {
    this.target = target
    this.sendTarget()
  }

  private sendTarget(): void {
    for (const info of this.modules.values()) {
      const lines = [...info.lines.linesOf(this.target.file)].sort((one, other) => one - other)
      const line = lines.find((one) => one >= this.target.line)
      if (line !== undefined) this.target = { file: this.target.file, line }
    }
    this.connection.send(`line ${this.numberOf(this.target.file)} ${this.target.line}`)
  }

  private numberOf(file: string): number {
    const known = this.files.indexOf(file)
    return known < 0 ? this.files.push(file) - 1 : known
  }

  private handle(message: WrittenStepMessage): void {
    switch (message.type) {
      case 'started': {
        if (message.place) this.infoOf(message.place.module)
        this.connection.send(`block ${this.request.block.join(' ')}`)
        this.sendTarget()
        this.connection.send('go line')
        break
      }
      case 'place': {
        const place = message.place && this.userLine(message.place)
        this.connection.send(
          place ? `place ${this.numberOf(place.file)} ${place.line}` : 'place 0 0',
        )
        break
      }
      case 'stopped':
        this.stop = this.withPlaces(message)
        this.hasStopped = true
        this.wake()
        break
      case 'finished':
        this.request.onFinished?.(message.kernel)
        break
      case 'memory':
      case 'allocations':
        // An answer that nobody waits for any more.
        break
    }
  }

  /** A place that the process names itself, with the file that its user has. */
  private placeOf<Site extends SourcePlace>(site: Site): Site {
    return { ...site, file: absoluteFile(site.file, [this.request.folder]) }
  }

  private withPlaces(stop: WrittenStop): WrittenStop {
    const lanes = stop.lanes.map((lane) =>
      lane.site ? { ...lane, site: this.placeOf(lane.site) } : lane,
    )
    return { ...stop, launched: this.placeOf(stop.launched), lanes }
  }

  private infoOf(module: string): DebugInfo {
    const known = this.modules.get(module) ?? DebugInfo.of(module, this.request.folder)
    this.modules.set(module, known)
    return known
  }

  /** Undefined for headers, and for what a function does before its first statement. */
  private userLine(place: FramePlace): SourcePlace | undefined {
    const row = this.infoOf(place.module).lineAt(place.offset)
    if (!row || row.line === 0 || row.column === 0 || !this.request.isUserFile(row.file))
      return undefined
    const key = this.lineKey(place, row.line)
    this.firstOfLine.set(key, Math.min(place.offset, this.firstOfLine.get(key) ?? Infinity))
    return { file: row.file, line: row.line }
  }

  private lineKey(place: FramePlace, line: number): string {
    return `${place.module} ${this.infoOf(place.module).functionAt(place.offset)?.begin ?? 0} ${line}`
  }

  private readonly reader: BlockReader = {
    read: async (places) => await this.read(places),
    find: async (addresses) => await this.find(addresses),
    functionAt: (place) => this.infoOf(place.module).functionAt(place.offset),
    lineAt: (place) => this.userLine(place),
    isFirstOfLine: (place) => {
      const line = this.infoOf(place.module).lineAt(place.offset)?.line ?? 0
      return this.firstOfLine.get(this.lineKey(place, line)) === place.offset
    },
    fileOf: (number) => this.files[number] ?? '',
  }

  private async read(places: readonly MemoryPlace[]): Promise<(Buffer | undefined)[]> {
    if (places.length === 0) return []
    const words = places.map(({ address, bytes }) => `${address.toString(16)} ${bytes}`)
    const answer = await this.connection.ask(`read ${words.join(' ')}`, 'memory')
    return places.map((_, index) => {
      const text = answer?.bytes[index]
      return typeof text === 'string' ? Buffer.from(text, 'hex') : undefined
    })
  }

  private async find(addresses: readonly number[]): Promise<(Allocation | undefined)[]> {
    if (addresses.length === 0) return []
    const words = addresses.map((address) => address.toString(16))
    const answer = await this.connection.ask(`find ${words.join(' ')}`, 'allocations')
    return addresses.map((_, index) => {
      const found = answer?.allocations[index]
      if (!found) return undefined
      const { begin, bytes, freed, made } = found
      const { file, line } = this.placeOf(made)
      return { begin: Number(begin), bytes, isFreed: freed, made: { file, line } }
    })
  }
}
