import path from 'node:path'

import { CommandFailure, runCommand } from '../lib/command.mjs'
import { listFiles } from '../lib/files.mjs'
import { root } from '../lib/paths.mjs'
import { findClangTool } from '../setup/system-needs.mjs'

const folders = ['native', 'kernels', 'samples', 'templates']
const isBuilt = (name) => /(^|\/)(build|\.opsmith|node_modules)$/.test(name)

function sources() {
  return folders.flatMap((folder) =>
    listFiles(path.join(root, folder), isBuilt)
      .filter((name) => /\.(h|hpp|cuh|cc|cpp|cu)$/.test(name))
      .map((name) => path.join(folder, name)),
  )
}

export async function formatWithClangFormat() {
  const tool = findClangTool('clang-format')
  if (!tool) throw new Error('clang-format 19 is not installed')
  await runCommand([tool, '-i', ...sources()], { cwd: root })
}

/** @returns {Promise<{ outcome: 'passed' | 'failed' | 'skipped', text: string }>} */
export async function checkWithClangFormat() {
  const tool = findClangTool('clang-format')
  if (!tool) return { outcome: 'skipped', text: 'clang-format 19 is not installed' }
  const files = sources()
  if (files.length === 0) return { outcome: 'passed', text: '' }
  try {
    await runCommand([tool, '--dry-run', '-Werror', ...files], { cwd: root })
    return { outcome: 'passed', text: '' }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { outcome: 'failed', text: `${error.output}\n\nTo format these files: npm run format` }
  }
}
