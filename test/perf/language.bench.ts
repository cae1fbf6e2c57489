import fs from 'node:fs'
import path from 'node:path'

import type { LanguageDiagnostics } from '../../electron/contract/language'
import { startForkedHost } from '../../electron/engine/host/transport'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const rounds = 10
/** Milliseconds that the window waits after the last key (renderer/editor/language/documents.ts). */
const windowPause = 0.15

/** Samples by what they include: the dispatcher and ATen, torch/extension.h, and autograd functions. */
const samples: [string, string, string][] = [
  ['rms_norm', 'rms_norm.cpp', 'lean headers'],
  ['my_op', 'op.cpp', 'torch/extension.h'],
  ['calculate_force', 'src/calculate_force.cpp', 'autograd function'],
]

/** clangd in the editor: from a file that is opened, or a key, to its diagnostics; a completion. */
async function measure(
  name: string,
  file: string,
  what: string,
  say: (line: string) => void,
): Promise<Row[]> {
  const cache = makeTestCache()
  const said: LanguageDiagnostics[] = []
  let told: (() => void) | undefined
  const workbench = new Workbench(
    testInstallation(cache),
    startForkedHost,
    {
      onLanguageDiagnostics: (one) => {
        said.push(one)
        told?.()
      },
    },
    commandOptions,
  )
  try {
    const folder = copyProject(path.join(root, 'samples', name), cache)
    const text = fs.readFileSync(path.join(folder, file), 'utf8')
    let version = 0
    const show = async (content: string): Promise<LanguageDiagnostics> => {
      version += 1
      const wanted = version
      workbench.clangd.show({ folder, path: file, text: content, version }, true)
      for (;;) {
        const found = said.find((one) => one.version >= wanted)
        if (found) return found
        await new Promise<void>((resolve) => {
          told = resolve
        })
      }
    }
    say(`${name}: first diagnostics`)
    const first = await sample(1, async () => {
      await show(text)
    })
    // What clangd makes ready after them is over when a user has read the first lines.
    await new Promise((resolve) => setTimeout(resolve, 8000))
    say(`${name}: edits`)
    const lines = text.split('\n')
    const at = lines.findIndex((line) => /^ {2}return .*;$/.test(line))
    const before = `${lines.slice(0, at).join('\n')}\n`
    const after = `\n${lines.slice(at).join('\n')}`
    const edits = await sample(rounds, async (index) => {
      const answer = await show(`${before}  int q = not_there_${index};${after}`)
      if (!answer.diagnostics.some((one) => one.message.includes(`not_there_${index}`)))
        throw new Error('the mistake was not found')
    })
    say(`${name}: completion`)
    const typed = '  at::empty_li'
    await show(`${before}${typed}${after}`)
    const completions = await sample(rounds, async () => {
      const list = await workbench.language.complete(
        { folder, path: file, line: at + 1, column: typed.length + 1 },
        '',
      )
      if (!list.ok || !list.value?.items.some((item) => item.label === 'empty_like'))
        throw new Error('the name was not completed')
    })
    const verdict = (seconds: readonly number[]): string => {
      const median = [...seconds].sort((a, b) => a - b)[Math.floor(seconds.length / 2)] ?? 0
      return `${median + windowPause < 1 ? 'within' : 'NOT within'} the second with the window's pause`
    }
    return [
      row(`${name} (${what}): opened to first diagnostics`, 's', first),
      { ...row(`${name}: edit to diagnostics`, 's', edits), verdict: verdict(edits) },
      row(`${name}: completion`, 's', completions),
    ]
  } finally {
    await workbench.close()
    cache.remove()
  }
}

export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, file, what] of samples)
    rows.push(...(await measure(name, file, what, options.say)))
  return rows
}
