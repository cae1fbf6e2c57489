import fs from 'node:fs'
import path from 'node:path'

import { watchCommands } from './command.mjs'
import { isAlive, readJson } from './files.mjs'
import { setupFolder } from './paths.mjs'

const file = path.join(setupFolder, 'lock.json')

/** Commands that a killed set-up left running would write where we do: npm and pip go on without their parent. */
function endOrphans(children) {
  for (const pid of Array.isArray(children) ? children : []) {
    try {
      // A number may have been given to another program since: ours carry the clone in their environment.
      const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      if (environment.includes(`OPSMITH_SETUP=${setupFolder}`)) process.kill(-pid, 'SIGKILL')
    } catch {
      // It ended.
    }
  }
}

/**
 * One set-up of a clone at a time; a lock whose holder is gone counts for nothing.
 * @param {(pid: number) => void} onWait called once when another process holds it
 * @returns {Promise<() => void>} gives it back
 */
export async function takeLock(onWait) {
  fs.mkdirSync(setupFolder, { recursive: true })
  let told = false
  for (;;) {
    try {
      fs.writeFileSync(file, JSON.stringify({ pid: process.pid, children: [] }), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const lock = readJson(file)
    const isFresh = fs.existsSync(file) && Date.now() - fs.statSync(file).mtimeMs < 2000
    if (lock ? !isAlive(lock.pid) : !isFresh) {
      endOrphans(lock?.children)
      fs.rmSync(file, { force: true })
      continue
    }
    if (lock && !told) {
      onWait(lock.pid)
      told = true
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  process.env['OPSMITH_SETUP'] = setupFolder
  const stopWatching = watchCommands((children) =>
    fs.writeFileSync(file, JSON.stringify({ pid: process.pid, children })),
  )
  const release = () => {
    stopWatching()
    delete process.env['OPSMITH_SETUP']
    process.off('exit', release)
    fs.rmSync(file, { force: true })
  }
  process.on('exit', release)
  return release
}
