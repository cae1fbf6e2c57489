import path from 'node:path'

import { App, startOnceMore } from '../support/app'
import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import { halfName, pathsBelow } from './files-below'
import type { SoakOptions, SoakResult } from './soak'

/** Milliseconds. */
const duration = 60_000
const commandLines = 4

/**
 * Four command lines, the window and a second start of it use one cache for a minute. Two of the command lines build
 * what the window builds, in its project; two build the same sources elsewhere.
 */
export async function run({ say }: SoakOptions): Promise<SoakResult> {
  const cache = makeTestCache(['objects', 'builds', 'generated'])
  const shared = copyProject(path.join(root, 'samples/my_op'), cache)
  const other = copyProject(path.join(root, 'samples/my_op'), cache)
  const problems: string[] = []
  const done = { commands: 0, edits: 0, starts: 0 }
  const app = await App.start(cache, shared, { hotCompile: true })
  const end = performance.now() + duration
  const goesOn = (): boolean => performance.now() < end

  const command = async (folder: string): Promise<void> => {
    while (goesOn()) {
      const { code, stdout, stderr } = await opsmith(cache, 'run', folder, '--json')
      done.commands += 1
      // A call whose result differs from its reference is an exit code of 1: the window edits the factor.
      const isGood = code === 0 || (code === 1 && folder === shared)
      if (!isGood) problems.push(`run ${folder} ended with ${code}: ${stdout.slice(-500)}${stderr}`)
      JSON.parse(stdout)
    }
  }
  const edit = async (): Promise<void> => {
    await app.openFile('op.cpp')
    const source = await app.text('op.cpp')
    while (goesOn()) {
      done.edits += 1
      await app.setText('op.cpp', source.replace('3 * x', `${3 + done.edits / 1000} * x`))
      await app.focused('op.cpp')
      const before = await app.page.evaluate(() => window.opsmithTest?.build.report()?.key ?? '')
      await app.save()
      await app.page.waitForFunction((old) => {
        const report = window.opsmithTest?.build.report()
        return report?.ok === true && report.key !== old
      }, before)
    }
  }
  const startAgain = async (): Promise<void> => {
    while (goesOn()) {
      const code = await startOnceMore(cache, shared)
      done.starts += 1
      if (code !== 0) problems.push(`a second start ended with ${String(code)}`)
      await new Promise((resolve) => setTimeout(resolve, 5_000))
    }
  }
  const work = Array.from({ length: commandLines }, (_, index) =>
    command(index % 2 === 0 ? shared : other),
  )
  try {
    await Promise.all([...work, edit(), startAgain()])
  } finally {
    await app.close()
  }
  const half = Object.values(cache.places)
    .flatMap((place) => pathsBelow(place))
    .filter((name) => halfName.test(name))
  if (half.length > 0) problems.push(`left half-written: ${half.join(', ')}`)
  cache.remove()
  say(
    `${done.commands} command lines, ${done.edits} edits in the window, ${done.starts} more starts`,
  )
  return { problems }
}
