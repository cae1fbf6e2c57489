import fs from 'node:fs/promises'
import path from 'node:path'

import { graph } from '../../contract/graph'
import type { Graph, GraphText } from '../../contract/graph'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { ioError } from '../project/files'
import { fieldPath, placeOf } from '../project/read-manifest'
import { graphTextOf } from './graph-text'

/** Bytes; a graph of a hundred thousand nodes takes some thirty million. */
const largestGraphFile = 256 << 20

const graphHint = 'Write the graph again: opsmith graph --format json.'

/** A graph as `opsmith graph --format json` and the window's export write it. */
export function parseGraph(text: string, file: string): Result<Graph> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const position = /position (\d+)/.exec(said)
    return err('input.invalid', `${path.basename(file)} is not valid JSON: ${said}.`, {
      file,
      ...(position ? placeOf(text, Number(position[1])) : {}),
      hint: graphHint,
    })
  }
  try {
    const parsed = graph.safeParse(value)
    if (parsed.success) return ok(parsed.data)
    const issue = parsed.error.issues[0]
    const where = issue ? fieldPath(issue.path) : ''
    return err(
      'input.invalid',
      `${file} is not a graph${where === '' ? '' : `: ${where}`}: ${issue?.message ?? 'it is not valid'}.`,
      { path: where, hint: graphHint },
    )
  } catch (error) {
    // Blocks in blocks in blocks, deeper than any program's.
    if (error instanceof RangeError) {
      return err(
        'input.invalid',
        `Opsmith cannot show ${file}: the blocks of the graph are nested too deeply.`,
        {
          hint: 'Write the graph of a function with fewer nested blocks: opsmith graph --entry NAME --format json.',
        },
      )
    }
    throw error
  }
}

export async function readGraphFile(
  file: string,
): Promise<Result<{ name: string; text: GraphText }>> {
  try {
    const { size } = await fs.stat(file)
    if (size > largestGraphFile) {
      return err(
        'input.invalid',
        `${file} has ${size} bytes, but Opsmith opens graphs of at most ${largestGraphFile} bytes.`,
        {
          hint: 'Write the graph of a smaller function, or of one method of the model: opsmith graph --entry NAME --format json.',
        },
      )
    }
    const parsed = parseGraph(await fs.readFile(file, 'utf8'), file)
    return parsed.ok ? ok({ name: parsed.value.name, text: graphTextOf(parsed.value) }) : parsed
  } catch (error) {
    return ioError(error, `read ${file}`)
  }
}
