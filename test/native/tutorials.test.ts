import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { findOnPath } from '../../electron/engine/toolchain/find-on-path'
import { makeTestCache, root } from '../support/installation'
import { python } from '../support/python'
import { printsAsShown, Reader, stepsOf } from '../support/shown-commands'
import type { Step } from '../support/shown-commands'

/**
 * Every command of the tutorials is run as a reader runs it, and prints what the tutorial shows. With
 * OPSMITH_WRITE_TUTORIALS=1, what a command printed is written to the tutorial instead.
 */
const isWriting = process.env['OPSMITH_WRITE_TUTORIALS'] === '1'
const folder = path.join(root, 'docs/tutorials')
const pages = fs.readdirSync(folder).filter((name) => name.endsWith('.md'))

const cache = makeTestCache()
const home = path.join(cache.home, 'you')
afterAll(() => {
  cache.remove()
})

const names = [
  [home, '~'],
  [cache.home, '~/.cache'],
  [path.dirname(path.dirname(python)), '~/venv'],
] as const

/** `opsmith` and `python` as a reader has them on PATH. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const bin = path.join(cache.home, 'bin')
  fs.mkdirSync(bin, { recursive: true })
  const script = `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, 'dist/cli.cjs')}" "$@"\n`
  fs.writeFileSync(path.join(bin, 'opsmith'), script, { mode: 0o755 })
  const { CI: _ci, OPSMITH_CALLER_FOLDER: _caller, ...own } = process.env
  const PATH = [bin, path.dirname(python), own['PATH']].join(path.delimiter)
  return { ...own, PATH, ...cache.environment, LC_ALL: 'C.UTF-8' }
}

/** Writes what commands printed to the page; "…" stays where it still stands for lines. */
function writeShown(file: string, printed: ReadonlyMap<Step, string[]>): void {
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  const changed = [...printed].filter(
    ([step, actual]) => step.kind === 'command' && !printsAsShown(actual, step.shown),
  )
  for (const [step, actual] of changed.reverse())
    if (step.kind === 'command') lines.splice(step.line, step.shown.length, ...actual)
  fs.writeFileSync(file, lines.join('\n'))
}

describe.each(pages)('%s', (page) => {
  const file = path.join(folder, page)
  const steps = stepsOf(fs.readFileSync(file, 'utf8'))
  const printed = new Map<Step, string[]>()

  beforeAll(async () => {
    // The same folder for each page, so that a project of two pages is compiled once.
    fs.rmSync(home, { recursive: true, force: true })
    fs.mkdirSync(home)
    const reader = new Reader(home, readersEnvironment(), names)
    for (const step of steps) {
      if (step.kind === 'command') {
        if (step.needs === '' || findOnPath(step.needs) !== undefined)
          printed.set(step, await reader.run(step.command))
      } else if (step.kind === 'file') reader.write(step.file, step.text)
      else reader.edit(step.file, step.text)
    }
    if (isWriting) writeShown(file, printed)
  })

  const commands = steps.filter((step) => step.kind === 'command')
  it.each(commands)('$line: $command', (step) => {
    const actual = printed.get(step)
    if (!actual) return console.log(`not run: ${step.needs} is not on PATH`)
    if (!printsAsShown(actual, step.shown)) expect(actual).toEqual(step.shown)
  })
})
