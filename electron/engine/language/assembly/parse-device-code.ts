import type { SourceFrame } from './parse-disassembly'

/** A kernel or device function as text, its lines with their places. */
export interface DeviceFunction {
  /** As the compiler mangled it. */
  symbol: string
  lines: DeviceLine[]
}

export interface DeviceLine {
  kind: 'instruction' | 'label' | 'directive' | 'comment'
  /** "" in PTX. */
  address: string
  text: string
  /** Where it comes from, innermost first; empty where the compiler does not say. */
  frames: SourceFrame[]
}

const frame = (file: string, line: string | undefined): SourceFrame => ({
  function: '',
  file,
  line: Number(line ?? 0),
})

/** `.visible .entry NAME(`, `.func (.param .b32 r) NAME(` */
const ptxFunction =
  /^(?:\.(?:visible|extern|weak|common)\s+)*\.(?:entry|func)\b(?:\s*\([^)]*\))?\s+([\w$]+)/

/** PTX with `.loc`, as nvcc -ptx -lineinfo and clang write it. What is only declared is left out. */
export function parsePtx(text: string): DeviceFunction[] {
  const files = new Map<string, string>()
  for (const match of text.matchAll(/^\s*\.file\s+(\d+)\s+"([^"]*)"/gm)) {
    files.set(match[1] ?? '', match[2] ?? '')
  }
  const functions: DeviceFunction[] = []
  let current: DeviceFunction | undefined
  let frames: SourceFrame[] = []
  let depth = 0
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    const started = depth === 0 ? ptxFunction.exec(line)?.[1] : undefined
    if (started !== undefined) {
      current = { symbol: started, lines: [] }
      frames = []
    }
    if (!current || line === '') continue
    const loc = /^\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*\binlined_at\s+(\d+)\s+(\d+))?/.exec(line)
    if (loc) {
      frames = [frame(files.get(loc[1] ?? '') ?? '', loc[2])]
      if (loc[3] !== undefined) frames.push(frame(files.get(loc[3]) ?? '', loc[4]))
    }
    const kind = ptxKind(line, depth)
    current.lines.push({
      frames: kind === 'instruction' ? frames : [],
      kind,
      address: '',
      text: line.replace(/\s+/g, ' ').replace(/;$/, ''),
    })
    if (kind === 'comment') continue
    depth += (line.match(/{/g)?.length ?? 0) - (line.match(/}/g)?.length ?? 0)
    if (depth === 0 && /[};]$/.test(line)) {
      if (line.endsWith('}')) functions.push(current)
      current = undefined
    }
  }
  return functions
}

function ptxKind(line: string, depth: number): DeviceLine['kind'] {
  if (line.startsWith('//')) return 'comment'
  if (/^[\w$]+:/.test(line)) return 'label'
  return depth === 0 || /^[.{}()]/.test(line) ? 'directive' : 'instruction'
}

const sassPlace = /^\/\/## File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?/

/** What `nvdisasm -c -gi` and `cuobjdump -sass` print. */
export function parseSass(text: string): DeviceFunction[] {
  const functions: DeviceFunction[] = []
  let current: DeviceFunction | undefined
  let frames: SourceFrame[] = []
  // Several lines in a row tell one chain, the innermost place first.
  let isChain = false
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    const name = /^\.text\.([\w$.]+):$/.exec(line)?.[1] ?? /^Function : (\S+)$/.exec(line)?.[1]
    if (name !== undefined) {
      current = { symbol: name, lines: [] }
      functions.push(current)
      frames = []
      continue
    }
    if (!current) continue
    if (/^\.section\b/.test(line)) {
      current = undefined
      continue
    }
    const said = sassPlace.exec(line)
    if (said) {
      frames = isChain ? [...frames] : []
      frames.push(frame(said[1] ?? '', said[2]))
      if (said[3] !== undefined) frames.push(frame(said[3], said[4]))
      isChain = true
      continue
    }
    isChain = false
    const code = /^\/\*([0-9a-f]{4,})\*\/\s+(.*?)\s*;/.exec(line)
    if (code) {
      const instruction = (code[2] ?? '').replace(/\s+/g, ' ')
      const address = code[1] ?? ''
      current.lines.push({ frames, kind: 'instruction', address, text: instruction })
    } else if (/^(?:\.L|\$)[\w$]+:$/.test(line)) {
      // "$KERNEL$FUNCTION" begins a function that the kernel calls.
      current.lines.push({ frames: [], kind: 'label', address: '', text: line })
    } else if (line.startsWith('.')) {
      const directive = line.replace(/\s+/g, ' ')
      current.lines.push({ frames: [], kind: 'directive', address: '', text: directive })
    }
  }
  return functions.filter(({ lines }) => lines.some(({ kind }) => kind === 'instruction'))
}
