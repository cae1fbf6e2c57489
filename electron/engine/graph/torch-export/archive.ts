import { err, fail, ok, WorkbenchFailure } from '../../../contract/outcome'
import type { Graph, GraphArchive, GraphText, GraphValue } from '../../../contract/graph'
import type { Result } from '../../../contract/outcome'
import { ioError } from '../../project/files'
import { fieldPath } from '../../project/read-manifest'
import { convertProgram } from './graph'
import type { KnownOperators } from './graph'
import { exportedProgram, exportHint } from './shapes'
import type { ExportedProgram } from './shapes'
import { graphTextOf } from '../graph-text'
import { exportedModel } from '../model-file'
import { ZipReader } from '../zip-file'

export type { KnownOperators }

/** Bytes of one serialized graph: more than V8 can hold as one text is refused. */
const largestProgram = 384 << 20

/**
 * Integers that a JavaScript number cannot hold become texts: the end of an open slice is
 * 9223372036854775807 and not 9223372036854776000.
 */
export function quoteLargeIntegers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (part) =>
    part.startsWith('"') || Number.isSafeInteger(Number(part)) ? part : `"${part}"`,
  )
}

function parseProgram(text: string, where: string): ExportedProgram {
  let value: unknown
  try {
    value = JSON.parse(quoteLargeIntegers(text))
  } catch (error) {
    return fail('input.invalid', `${where} is not valid JSON.`, {
      hint: exportHint,
      detail: error instanceof Error ? error.message : String(error),
    })
  }
  const parsed = exportedProgram.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  return fail(
    'input.invalid',
    `${where} is not an exported program that Opsmith can read: ${fieldPath(issue?.path ?? [])}: ${issue?.message ?? ''}`,
    { hint: exportHint },
  )
}

/** Entries by name; the one model of an archive is "forward", as a TorchScript module's is. */
function entriesOf(names: readonly string[]): Map<string, string> {
  const found = names.flatMap((name) => {
    const match = exportedModel.exec(name)
    return match ? [[match[1] ?? 'forward', name] as const] : []
  })
  const [only] = found
  return found.length === 1 && only ? new Map([['forward', only[1]]]) : new Map(found)
}

/** Opens an archive, does something with it, and says in words what does not fit. */
async function withArchive<T>(
  file: string,
  work: (zip: ZipReader) => Promise<T>,
): Promise<Result<T>> {
  let zip: ZipReader | undefined
  try {
    zip = await ZipReader.open(file)
    return ok(await work(zip))
  } catch (error) {
    if (error instanceof WorkbenchFailure) {
      const named = error.error.message.includes(file)
      return {
        ok: false,
        error: named ? error.error : { ...error.error, message: `${file}: ${error.error.message}` },
      }
    }
    if (error instanceof RangeError) {
      return err(
        'input.invalid',
        `Opsmith cannot read ${file}: the subgraphs in this file are nested too deeply.`,
        {
          hint: 'Export only a part of the model, whose subgraphs are nested less deeply.',
        },
      )
    }
    return ioError(error, `read ${file}`)
  } finally {
    zip?.close()
  }
}

async function programOf(zip: ZipReader, name: string): Promise<ExportedProgram> {
  return parseProgram(await zip.text(name, largestProgram), name)
}

/** What a torch.export archive holds, and the operators that it needs and nothing has registered. */
export async function describeExport(
  file: string,
  known: KnownOperators,
): Promise<Result<GraphArchive>> {
  return await withArchive(file, async (zip) => {
    const entries: GraphArchive['entries'] = []
    const missing = new Set<string>()
    for (const [entry, name] of entriesOf(zip.names)) {
      const converted = convertProgram(await programOf(zip, name), entry, known)
      entries.push({ name: entry, schema: schemaOf(converted.graph) })
      for (const operator of converted.missing) missing.add(operator)
    }
    return { path: file, kind: 'export', entries, missing: [...missing].sort() }
  })
}

/** "forward(Tensor x, int k) -> (Tensor, Tensor)": what the user gives, without parameters and buffers. */
function schemaOf(graph: Graph): string {
  const types = new Map(graph.inputs.map((value) => [value.name, value]))
  for (const node of graph.nodes) for (const value of node.outputs) types.set(value.name, value)
  const typeOf = (value: GraphValue | undefined): string =>
    value?.tensor ? 'Tensor' : (value?.type ?? 'Tensor')
  const given = graph.inputs.filter((value) => (value.origin ?? 'user input') === 'user input')
  const taken = given.map((value) => `${typeOf(value)} ${value.name}`).join(', ')
  const returned = graph.outputs.map((name) => typeOf(types.get(name)))
  const result = returned.length === 1 ? (returned[0] ?? '') : `(${returned.join(', ')})`
  return `${graph.name}(${taken}) -> ${result}`
}

/** The graph of one model of a torch.export archive; `entry` "" takes the first. */
export async function readExport(
  file: string,
  entry: string,
  known: KnownOperators,
): Promise<Result<GraphText>> {
  return await withArchive(file, async (zip) => {
    const entries = entriesOf(zip.names)
    const wanted = entry === '' ? ([...entries.keys()][0] ?? '') : entry
    const name = entries.get(wanted)
    if (name === undefined) {
      return fail('operator.unknown', `${file} has no model ${wanted}.`, {
        hint: `Choose one of the models in the file: ${[...entries.keys()].join(', ')}.`,
      })
    }
    return graphTextOf(convertProgram(await programOf(zip, name), wanted, known).graph)
  })
}
