import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import type { Runtime } from '../engine/installation'

/** A clone names the Electron that it is made for; an installed app comes with it, and names none. */
const packageFile = z.object({ devDependencies: z.object({ electron: z.string() }).optional() })

/** @param root the folder with package.json */
export function electronRuntime(root: string): Runtime {
  const version = process.versions.electron ?? ''
  try {
    const text = fs.readFileSync(path.join(root, 'package.json'), 'utf8')
    const named = packageFile.parse(JSON.parse(text)).devDependencies?.electron
    return { version, named: named ?? version }
  } catch {
    return { version, named: version }
  }
}
