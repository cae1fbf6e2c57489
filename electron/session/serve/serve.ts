import type { Readable, Writable } from 'node:stream'

import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { framesFollow } from '../../contract/serve'
import type { Installation } from '../../engine/installation'
import { ServedEngine } from './served-engine'

interface Served {
  installation: Installation
  version: string
  input: Readable
  output: Writable
}

/** A session for whoever is at the other end of a pipe, until it is closed. Its jobs have ended then. */
export async function serveSession(served: Served): Promise<Result<null>> {
  const { installation, version, input, output } = served
  const engine = new ServedEngine(installation, version, false)
  output.write(framesFollow)
  try {
    const end = await engine.serve({ input, output })
    return end.ok ? ok(null) : end
  } finally {
    await engine.close()
  }
}
