import fs from 'node:fs'
import path from 'node:path'

import type { NamedTarget } from '../../electron/engine/remote/targets'
import { root } from './installation'
import type { TestCache } from './installation'

/** The command line as a program, with the folders of the test. */
export function opsmithProgram(cache: TestCache): string {
  const file = path.join(cache.home, 'bin', 'opsmith')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const variables = Object.entries(cache.environment).map(([key, value]) => `${key}='${value}' `)
  const script = `exec '${process.execPath}' '${path.join(root, 'dist/cli.cjs')}' "$@"`
  fs.writeFileSync(file, `#!/bin/sh\n${variables.join('')}${script}\n`, { mode: 0o755 })
  return file
}

/** This machine, by a shell. */
export function thisMachine(cache: TestCache): NamedTarget {
  return { name: 'here', command: ['sh'], opsmith: opsmithProgram(cache) }
}

/** Another installation of the same bundles that says that it has this version. */
export function otherVersionProgram(cache: TestCache, version: string): string {
  const folder = path.join(cache.home, `opsmith-${version}`)
  fs.mkdirSync(path.join(folder, 'dist'), { recursive: true })
  for (const file of ['cli.cjs', 'cli.bundle.cjs'])
    fs.copyFileSync(path.join(root, 'dist', file), path.join(folder, 'dist', file))
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ version }))
  const file = path.join(folder, 'opsmith')
  const script = `exec '${process.execPath}' '${path.join(folder, 'dist/cli.cjs')}' "$@"`
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return file
}
