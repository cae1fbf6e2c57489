/** One instruction as objdump prints it. */
export interface Instruction {
  address: bigint
  text: string
}

export interface DisassembledFunction {
  address: bigint
  /** Demangled, if the tool was asked to. */
  name: string
  instructions: Instruction[]
}

/** `0000000000001139 <name>:` */
const functionLine = /^([0-9a-f]+) <(.*)>:$/
/** `    1139:\tmov    eax,edi`; llvm-objdump puts blanks before its tab. */
const instructionLine = /^ *([0-9a-f]+):\s+(\S.*)$/

/** The output of `objdump -d`, GNU's or LLVM's, without raw bytes. */
export function parseDisassembly(output: string): DisassembledFunction[] {
  const functions: DisassembledFunction[] = []
  for (const line of output.split('\n')) {
    const head = functionLine.exec(line)
    if (head) {
      functions.push({
        address: BigInt(`0x${head[1] ?? ''}`),
        name: head[2] ?? '',
        instructions: [],
      })
      continue
    }
    const match = instructionLine.exec(line)
    const last = functions.at(-1)
    if (!match || !last) continue
    const text = (match[2] ?? '')
      .replace(/\t/g, ' ')
      .replace(/^(\S+) +/, '$1 ')
      .trim()
    last.instructions.push({ address: BigInt(`0x${match[1] ?? ''}`), text })
  }
  return functions
}

/** A jump or call: where to, and what the tool calls that place. */
export interface Reference {
  address: bigint
  /** "gc_forward(…)+0x335", "at::mm(…)@plt" */
  symbol: string
  /** The text before the address. */
  before: string
}

/** What an instruction such as `jne 29805 <f+0x3>` goes to; undefined for others. */
export function referenceOf(text: string): Reference | undefined {
  const match = /^(.*?\s)(?:0x)?([0-9a-f]+) <(.*)>$/.exec(text)
  if (!match) return undefined
  return { before: match[1] ?? '', address: BigInt(`0x${match[2] ?? ''}`), symbol: match[3] ?? '' }
}

export interface SymbolEntry {
  address: bigint
  size: number
  name: string
}

/** Functions of `nm -S -C --defined-only`: `0000000000001139 0000000000000016 T name`. */
export function parseSymbols(output: string): SymbolEntry[] {
  const found = new Map<bigint, SymbolEntry>()
  for (const line of output.split('\n')) {
    const match = /^([0-9a-f]+) ([0-9a-f]+) [tTwWiuV] (.+)$/.exec(line)
    if (!match) continue
    const address = BigInt(`0x${match[1] ?? ''}`)
    // Constructors come twice, for the whole object and for a base: the same code under the same name.
    if (!found.has(address)) {
      found.set(address, {
        address,
        size: Number.parseInt(match[2] ?? '0', 16),
        name: match[3] ?? '',
      })
    }
  }
  return [...found.values()].sort((a, b) => (a.address < b.address ? -1 : 1))
}

/** One step of a chain of inlining. */
export interface SourceFrame {
  function: string
  /** As the compiler wrote it; "" when unknown. */
  file: string
  line: number
}

/**
 * What a symbolizer says of several addresses, with `-a`: each address on a line of its own, then a
 * function and a place for each frame, innermost first.
 */
export function parseFrames(output: string): Map<bigint, SourceFrame[]> {
  const frames = new Map<bigint, SourceFrame[]>()
  let current: SourceFrame[] = []
  let name: string | undefined
  for (const line of output.split('\n')) {
    const address = /^0x([0-9a-f]+)$/.exec(line)
    if (address) {
      current = []
      name = undefined
      frames.set(BigInt(`0x${address[1] ?? ''}`), current)
    } else if (name === undefined) name = line
    else {
      const place = /^(.*?):(\d+)(?::\d+)?(?: .*)?$/.exec(line)
      const file = place?.[1] === '??' ? '' : (place?.[1] ?? '')
      current.push({ function: name === '??' ? '' : name, file, line: Number(place?.[2] ?? 0) })
      name = undefined
    }
  }
  return frames
}
