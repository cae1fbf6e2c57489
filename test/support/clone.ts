import fs from 'node:fs'
import path from 'node:path'

import { root } from './installation'

/** What tests edit in a copy of this clone, and what the tools there read. */
const copied = [
  'docs',
  'electron',
  'graph',
  'renderer',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'tsconfig.tooling.json',
  'test/tsconfig.json',
  'vite.config.ts',
]

/** Large, and only read. */
const linked = ['node_modules', 'native', 'kernels', 'samples']

/** Makes `folder` a copy of this clone whose sources may be edited. */
export function copyClone(folder: string): string {
  for (const name of copied)
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  for (const name of linked) fs.symlinkSync(path.join(root, name), path.join(folder, name))
  return folder
}
