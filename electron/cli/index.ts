import os from 'node:os'

import { CommanderError } from 'commander'

import { findInstallation, ownVersion } from '../engine/installation'
import { ioError } from '../engine/project/files'
import { takeOverOlderPlaces } from '../engine/project/older-places'
import { verbs } from './all-verbs'
import { endingSignals } from './ending-signals'
import { exitCodes } from './exit-codes'
import { checkCaller } from './on-target'
import { printError } from './print'
import { makeProgram } from './program'

/**
 * Ends the command at a signal, unless a verb listens for it: that verb stops and says what it has done. The
 * processes that the command started end with it; the system alone would leave them.
 */
function endBySignals(): void {
  for (const signal of endingSignals) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + os.constants.signals[signal])
    })
  }
}

async function main(): Promise<void> {
  // In a package the command line is run by Electron as Node; what it starts need not be.
  delete process.env['ELECTRON_RUN_AS_NODE']
  endBySignals()
  // Who reads the answer may have read enough, as `head` has; nothing is left to do then.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? exitCodes.good)
    process.stderr.write(`opsmith: ${ioError(error, 'write to stdout').error.message}\n`)
    process.exit(exitCodes.noAnswer)
  })
  try {
    const installation = findInstallation(__dirname)
    await takeOverOlderPlaces(installation)
    const version = ownVersion(installation.root)
    const caller = checkCaller(version)
    if (!caller.ok) {
      process.exitCode = printError(caller.error, process.argv.includes('--json'))
      return
    }
    await makeProgram(verbs, version, caller.value).parseAsync(process.argv)
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.good : exitCodes.noAnswer
      return
    }
    process.stderr.write(
      `opsmith: the command failed, because of a bug in Opsmith. Report the bug, with this text: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    process.exitCode = exitCodes.noAnswer
  }
}

void main()
