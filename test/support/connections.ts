import fs from 'node:fs'

/** What one process has opened: "udp 192.0.2.1:53 (4711 curl -s …)". */
type Finding = string

interface Socket {
  kind: string
  /** As /proc/net has it: "0100007F:1F90". */
  remote: string
  local: string
  inode: string
}

const interval = 100
/** Of the flags in /proc/PID/stat: PF_KTHREAD. */
const kernelThread = 0x200000
const isAny = (address: string): boolean => /^0+$/.test(address.split(':')[0] ?? '')

/** 127.0.0.0/8, ::1, and the former as an address of IPv6; each 32 bits with the last byte first. */
const isLoopback = (address: string): boolean =>
  /^((0{16}FFFF0000|0{16}0000FFFF)?[\dA-F]{6}7F|0{24}01000000):/.test(address)

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1')
  } catch {
    // It has ended.
    return ''
  }
}

function link(file: string): string {
  try {
    return fs.readlinkSync(file)
  } catch {
    return ''
  }
}

function names(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** Whether there are sockets of a kind in the network of a process. To list them, the kernel walks its whole table. */
function isUsed(pid: string, kind: string): boolean {
  const counts = read(`/proc/${pid}/net/${kind.endsWith('6') ? 'sockstat6' : 'sockstat'}`)
  const count = new RegExp(`^${kind.toUpperCase()}: inuse (\\d+)`, 'm').exec(counts)?.[1]
  // Where the kernel gives no count, there may be some.
  return count !== '0'
}

/** Of the network that a process is in, the sockets that reach beyond this machine. */
function socketsOf(pid: string): Socket[] {
  const used = ['tcp', 'tcp6', 'udp', 'udp6'].filter((kind) => isUsed(pid, kind))
  return used.flatMap((kind) => {
    const lines = read(`/proc/${pid}/net/${kind}`).trim().split('\n').slice(1)
    const sockets = lines.map((line) => {
      const [, local = '', remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/)
      return { kind, local, remote, inode }
    })
    // A socket of UDP without a peer sends to anybody, unless it is bound to this machine.
    const isOutside = ({ remote, local }: Socket): boolean =>
      isAny(remote) ? kind.startsWith('udp') && !isLoopback(local) : !isLoopback(remote)
    return sockets.filter(isOutside)
  })
}

function readableAddress(address: string): string {
  const [host = '', port = ''] = address.split(':')
  const bytes = host.match(/../g) ?? []
  const numbers = bytes.map((byte) => Number.parseInt(byte, 16))
  const name = numbers.length === 4 ? numbers.reverse().join('.') : host
  return `${name}:${Number.parseInt(port, 16)}`
}

/**
 * Looks ten times a second at the sockets of all processes whose environment contains `marker`, and of those that they
 * start. A connection that opens and ends between two looks is missed.
 */
export class ConnectionWatch {
  private readonly found = new Set<Finding>()
  /** Whether a process is one of those; each is read until its environment is there. */
  private readonly known = new Map<string, boolean>()
  private readonly timer: NodeJS.Timeout

  constructor(private readonly marker: string) {
    this.timer = setInterval(() => {
      this.look()
    }, interval)
    this.timer.unref()
  }

  /** Processes that were looked at. */
  get count(): number {
    return [...this.known.values()].filter(Boolean).length
  }

  /** @returns what was opened to other machines since the beginning */
  end(): Finding[] {
    this.look()
    clearInterval(this.timer)
    return [...this.found].sort()
  }

  private isOurs(pid: string): boolean {
    const before = this.known.get(pid)
    if (before !== undefined) return before
    const stat = /^\d+ \(.*\) \w (\d+)(?: -?\d+){4} (\d+)/s.exec(read(`/proc/${pid}/stat`))
    const [, parent = '', flags = ''] = stat ?? []
    // The kernel's own threads never have an environment.
    if ((Number(flags) & kernelThread) !== 0) {
      this.known.set(pid, false)
      return false
    }
    const environment = read(`/proc/${pid}/environ`)
    const isOurs = this.known.get(parent) === true || environment.includes(this.marker)
    // For a moment, a process that becomes another program has none: that says nothing.
    if (isOurs || environment !== '') this.known.set(pid, isOurs)
    return isOurs
  }

  private look(): void {
    const pids = names('/proc').filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`)
    const ours = pids.filter((pid) => this.isOurs(pid))
    const networks = new Map<string, Map<string, Socket>>()
    for (const pid of ours) {
      const network = link(`/proc/${pid}/ns/net`)
      const sockets =
        networks.get(network) ?? new Map(socketsOf(pid).map((socket) => [socket.inode, socket]))
      networks.set(network, sockets)
      if (sockets.size > 0) this.compare(pid, sockets)
    }
  }

  private compare(pid: string, sockets: ReadonlyMap<string, Socket>): void {
    for (const descriptor of names(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? ''
      const socket = sockets.get(inode)
      if (!socket) continue
      const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
      this.found.add(`${socket.kind} ${readableAddress(socket.remote)} (${pid} ${command})`)
    }
  }
}
