import fs from 'node:fs'
import path from 'node:path'

import { includesOf } from '../project/scan-source'
import type { Prelude } from './flags'
import type { SourceText } from './generated-sources'

const fullHeaders =
  /^(torch\/(torch|all|script|types|nn|optim|data|serialize|jit|custom_class)\.h|torch\/(nn|csrc\/jit)\/)/
const extensionHeaders = /^(torch\/(extension|python)\.h|pybind11\/)/
const torchHeaders = /^(torch|ATen|c10)\//
const stableHeaders = /^torch\/(csrc\/stable|headeronly)\//
/** Parts of the C++ frontend that the `extension` prelude leaves out; torch::save and torch::load among them. */
const frontend = /\btorch\s*::\s*(nn|optim|data|jit|serialize|save|load|pickle_\w+|fft|special)\b/

/** A folder is not one, and neither is a named pipe: reading it would wait for a writer. */
function isRegularFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** Every text of the project that a source includes, itself first. */
export function includedTexts(source: SourceText, folders: readonly string[]): string[] {
  const texts = new Map([[source.file, source.text]])
  for (const [file, text] of texts) {
    for (const include of includesOf(text)) {
      const found = [path.dirname(file), ...folders]
        .map((folder) => path.resolve(folder, include.name))
        .find(isRegularFile)
      // A map may grow while it is gone through: what was added comes up later.
      if (found !== undefined && !texts.has(found)) texts.set(found, fs.readFileSync(found, 'utf8'))
    }
  }
  return [...texts.values()]
}

/**
 * The smallest prelude that holds the libtorch headers a source includes.
 * @param texts the source and the project's headers that it includes
 * @param bound whether functions of it are bound by name, which takes torch/extension.h
 */
export function preludeFor(texts: readonly string[], bound: boolean): Prelude | undefined {
  const names = texts.flatMap((text) => includesOf(text).map((include) => include.name))
  if (names.some((name) => fullHeaders.test(name))) return 'full'
  if (bound || names.some((name) => extensionHeaders.test(name))) {
    return texts.some((text) => frontend.test(text)) ? 'full' : 'extension'
  }
  const ofTorch = names.filter((name) => torchHeaders.test(name))
  if (ofTorch.length === 0) return undefined
  return ofTorch.every((name) => stableHeaders.test(name)) ? 'stable' : 'lean'
}
