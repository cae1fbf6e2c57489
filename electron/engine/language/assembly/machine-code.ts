import fs from 'node:fs'
import path from 'node:path'

import type { AssemblyFunction, AssemblyReport } from '../../../contract/assembly'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { withTitle, holdsLambda } from './function-names'
import { meaningsOf } from './instruction-meanings'
import { machineMix } from './instruction-mix'
import { innermostLoops } from './loops'
import { parseDisassembly, parseSymbols } from './parse-disassembly'
import type { SymbolEntry } from './parse-disassembly'
import { machineRows, placeOfFrames } from './rows'
import type { Places } from './rows'
import { askTool, findTool, locateInstructions } from './tools'

interface IndexedFunction extends SymbolEntry {
  place: AssemblyFunction
}

/** A project's folders as places: compilers write its files relative to it. */
export function placesOf(folder: string, folders: readonly string[]): Places {
  return {
    absolute: (file) => (file === '' ? '' : path.resolve(folder, file)),
    isOwn: (file) => folders.some((one) => file.startsWith(one + path.sep)),
  }
}

const binutilsHint = 'Install binutils (apt-get install binutils), or LLVM.'

/** Code begins at a function's body: whether the lines before it, from this one on, are its signature. */
function isSignature(file: string, line: number, body: number): boolean {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch {
    return false
  }
  const lines = text.split('\n').slice(line - 1, body - 1)
  return lines.every((one) => one.trim() !== '' && !/[;{}]|^\s*(\/\/|#)/.test(one))
}

/** The code of one library by function: those whose code begins in a file of the project. */
export class MachineCode {
  private functions: Promise<Result<IndexedFunction[]>> | undefined
  private readonly reports = new Map<bigint, Promise<Result<AssemblyReport>>>()

  constructor(
    private readonly library: string,
    private readonly places: Places,
  ) {}

  /** In the order of their sources. */
  async list(): Promise<Result<AssemblyFunction[]>> {
    const index = await this.index()
    return index.ok ? ok(index.value.map(({ place }) => place)) : index
  }

  private index(): Promise<Result<IndexedFunction[]>> {
    this.functions ??= this.read()
    return this.functions
  }

  private async read(): Promise<Result<IndexedFunction[]>> {
    const nm = findTool('nm')
    if (nm === undefined) {
      return err(
        'toolchain.missing',
        'Opsmith needs nm to list the functions of a library, but nm is not installed.',
        {
          hint: binutilsHint,
        },
      )
    }
    if (!fs.existsSync(this.library)) {
      return err('build.required', `The library ${this.library} no longer exists.`, {
        hint: 'Build the project again (Ctrl+B).',
      })
    }
    const said = await askTool(nm, ['-S', '-C', '--defined-only', this.library])
    if (!said.ok) return said
    const symbols = parseSymbols(said.value)
    const frames = await locateInstructions(
      this.library,
      symbols.map(({ address }) => address),
    )
    if (!frames.ok) return frames
    const found = symbols.flatMap((symbol): IndexedFunction[] => {
      const start = frames.value.get(symbol.address)?.at(-1)
      const file = this.places.absolute(start?.file ?? '')
      // Line 0 is what the compiler added: constructors of globals, calls of terminate.
      if (!start || start.line === 0 || symbol.size === 0 || !this.places.isOwn(file)) return []
      const { name, size } = symbol
      const id = symbol.address.toString(16)
      return [{ ...symbol, place: withTitle({ name, id, file, line: start.line, size }) }]
    })
    const listed = new Set(found.map(({ address }) => address))
    const lambdas = await this.lambdas(symbols.filter((one) => !listed.has(one.address)))
    if (!lambdas.ok) return lambdas
    found.push(...lambdas.value)
    return ok(
      found.sort((a, b) => a.place.file.localeCompare(b.place.file) || a.place.line - b.place.line),
    )
  }

  /**
   * Templates of libtorch's and of the standard library that hold a lambda of the project, as
   * at::parallel_for does: often where the time goes.
   */
  private async lambdas(symbols: readonly SymbolEntry[]): Promise<Result<IndexedFunction[]>> {
    const named = symbols.filter(({ name, size }) => size > 0 && holdsLambda(name))
    if (named.length === 0) return ok([])
    const objdump = findTool('objdump')
    // Who asks for one of the others is told.
    if (objdump === undefined) return ok([])
    const said = await askTool(objdump, ['-d', '-C', '--no-show-raw-insn', this.library])
    if (!said.ok) return said
    const code = new Map(parseDisassembly(said.value).map((one) => [one.address, one]))
    const addresses = named.flatMap(
      ({ address }) => code.get(address)?.instructions.map((one) => one.address) ?? [],
    )
    const frames = await locateInstructions(this.library, addresses)
    if (!frames.ok) return frames
    return ok(
      named.flatMap((symbol): IndexedFunction[] => {
        const places = (code.get(symbol.address)?.instructions ?? [])
          .map((one) => placeOfFrames(frames.value.get(one.address) ?? [], this.places))
          .filter(({ line }) => line > 0)
        const file = places[0]?.file
        if (file === undefined) return []
        const lines = places.filter((one) => one.file === file).map(({ line }) => line)
        const { name, size } = symbol
        const line = Math.min(...lines)
        return [
          {
            ...symbol,
            place: withTitle({ name, id: symbol.address.toString(16), file, line, size }),
          },
        ]
      }),
    )
  }

  async show(wanted: AssemblyFunction): Promise<Result<AssemblyReport>> {
    const index = await this.index()
    if (!index.ok) return index
    const found = index.value.find(({ place }) => place.id === wanted.id)
    if (!found) {
      return err('operator.unknown', `The library has no function ${wanted.name}.`, {
        hint: 'Choose another function from the list, or build the project again.',
      })
    }
    let report = this.reports.get(found.address)
    report ??= this.disassemble(found)
    this.reports.set(found.address, report)
    return await report
  }

  private async disassemble(wanted: IndexedFunction): Promise<Result<AssemblyReport>> {
    const objdump = findTool('objdump')
    if (objdump === undefined) {
      return err(
        'toolchain.missing',
        'Opsmith needs objdump to show machine code, but objdump is not installed.',
        {
          hint: binutilsHint,
        },
      )
    }
    const isIntel = process.arch === 'x64'
    const hex = (address: bigint): string => `0x${address.toString(16)}`
    const said = await askTool(objdump, [
      '-d',
      '-C',
      '--no-show-raw-insn',
      ...(isIntel ? ['-M', 'intel'] : []),
      `--start-address=${hex(wanted.address)}`,
      `--stop-address=${hex(wanted.address + BigInt(wanted.size))}`,
      this.library,
    ])
    if (!said.ok) return said
    const [code] = parseDisassembly(said.value)
    if (!code) return err('internal', `${objdump} shows no instructions of ${wanted.name}.`)
    const frames = await locateInstructions(
      this.library,
      code.instructions.map(({ address }) => address),
    )
    if (!frames.ok) return frames
    const rows = machineRows(code, frames.value, this.places)
    const texts = rows.filter(({ kind }) => kind === 'instruction').map(({ text }) => text)
    return ok({
      form: 'machine',
      function: wanted.place,
      rows,
      mix: isIntel ? machineMix(texts) : [{ what: 'instructions', count: texts.length }],
      architecture: isIntel ? 'x86-64' : process.arch,
      tool: path.basename(objdump),
      loops: innermostLoops(rows),
      meanings: isIntel ? meaningsOf('machine', texts) : {},
    })
  }

  /** The function that has code of a line: the shortest of those that begin nearest above it, else one that it was inlined into. */
  async at(file: string, line: number): Promise<Result<AssemblyFunction | undefined>> {
    const list = await this.list()
    if (!list.ok) return list
    const here = list.value.filter((one) => one.file === file && one.line <= line)
    // Nearest first: a lambda begins after the function it stands in.
    const nearest = [...here].reverse()
    const others = list.value.filter((one) => !here.includes(one))
    for (const candidate of [...nearest, ...others]) {
      const report = await this.show(candidate)
      if (!report.ok) return report
      const lines = report.value.rows.filter((row) => row.file === file).map((row) => row.line)
      if (lines.includes(line)) return ok(candidate)
      // A blank or a comment between two lines of its own.
      const within = lines.length > 0 && candidate.file === file && candidate.line <= line
      if (within && line <= Math.max(...lines)) return ok(candidate)
    }
    const next = list.value.find((one) => one.file === file && one.line > line)
    return ok(next && isSignature(file, line, next.line) ? next : undefined)
  }
}
