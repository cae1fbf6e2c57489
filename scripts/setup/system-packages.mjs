import path from 'node:path'

import { ask, findOnPath, runCommand, tail } from '../lib/command.mjs'
import { readJson, writeJson } from '../lib/files.mjs'
import { setupFolder } from '../lib/paths.mjs'
import { SetupFailure } from '../lib/steps.mjs'
import { lookAgain, needsFor, systemName } from './system-needs.mjs'

const day = 24 * 60 * 60 * 1000
/** When the package that satisfies a need could not be installed; asked again a day later. */
const noteFile = path.join(setupFolder, 'system-packages.json')

function gaveUpOn(need) {
  const time = readJson(noteFile)?.[need.name]
  return time !== undefined && Date.now() - time < day
}

function giveUpOn(need) {
  writeJson(noteFile, { ...readJson(noteFile), [need.name]: Date.now() })
}

/** Needs that ask for something to be done now. */
function open(context) {
  return needsFor(context).filter((need) => !need.present() && (need.essential || !gaveUpOn(need)))
}

/** [] for root, ["sudo", "-n"] where sudo asks for no password, undefined where neither holds. */
function privilege() {
  if (process.getuid?.() === 0) return []
  return findOnPath('sudo') && ask(['sudo', '-n', 'echo', 'yes']) === 'yes'
    ? ['sudo', '-n']
    : undefined
}

const environment = () => ({ ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' })

const managers = {
  apt: {
    command: 'apt-get',
    install: ['apt-get', 'install', '-y', '--no-install-recommends'],
    refresh: ['apt-get', 'update'],
    exists: (name) =>
      /^Candidate: (?!\(none\))/m.test(ask(['apt-cache', 'policy', name]).replace(/^ +/gm, '')),
  },
  dnf: {
    command: 'dnf',
    install: ['dnf', 'install', '-y'],
    refresh: undefined,
    exists: () => true,
  },
  pacman: {
    command: 'pacman',
    install: ['pacman', '-S', '--needed', '--noconfirm'],
    refresh: ['pacman', '-Sy'],
    exists: () => true,
  },
}

function findManager() {
  return Object.entries(managers).find(([, manager]) => findOnPath(manager.command) !== '')
}

/** Package names for a need; undefined when the lists have none of them. */
function packagesOf(need, [kind, manager], guess = false) {
  if (kind !== 'apt') return need[kind]
  const names = need.apt.map(
    (choices) => choices.find(manager.exists) ?? (guess ? choices.at(-1) : ''),
  )
  return names.every(Boolean) ? names : undefined
}

/** @returns {string} the command a person would type for these needs */
export function commandFor(needs) {
  const manager = findManager()
  if (!manager) return `(your package manager) ${needs.map((need) => need.name).join(', ')}`
  const names = needs.flatMap((need) => packagesOf(need, manager, true) ?? [])
  return ['sudo', ...manager[1].install, ...new Set(names)].join(' ')
}

async function install(needs, manager, rights, say) {
  const run = (command, timeoutSeconds = 1800) =>
    runCommand([...rights, ...command], { env: environment(), timeoutSeconds })
  let refreshed = false
  const refresh = async () => {
    if (refreshed || !manager[1].refresh) return
    refreshed = true
    // Without a network the lists on disk may still do.
    await run(manager[1].refresh, 300).catch((error) => say(tail(error.message, 1)))
  }
  const attempt = async (list) => {
    const names = list.map((need) => packagesOf(need, manager))
    if (names.includes(undefined)) throw new Error('not in the package lists')
    await run([...manager[1].install, ...names.flat()])
  }
  const withRetry = async (list) => {
    try {
      await attempt(list)
    } catch {
      await refresh()
      await attempt(list)
    }
  }
  try {
    await withRetry(needs)
  } catch {
    // One that cannot be had must not keep the others out.
    for (const need of needs) {
      await withRetry([need]).catch((error) => say(`${need.name}: ${tail(error.message, 2)}`))
    }
  }
  lookAgain()
}

/** @type {import('../lib/steps.mjs').Step} */
export const systemPackages = {
  title: 'system packages',
  check(context) {
    return open(context).length === 0 ? '' : undefined
  },
  async make(context, say) {
    const needs = open(context)
    const manager = findManager()
    const rights = privilege()
    if (manager && rights) {
      say(`installing ${needs.map((need) => need.name).join(', ')} (${manager[1].command})`)
      await install(needs, manager, rights, say)
    }
    const left = needs.filter((need) => !need.present())
    const essential = left.filter((need) => need.essential)
    if (essential.length > 0) {
      throw new SetupFailure(
        `Missing on ${systemName()}: ${essential.map((need) => need.name).join(', ')}. Install with:\n\n` +
          `    ${commandFor(left)}\n\nThen run the set-up again.`,
      )
    }
    for (const need of left) {
      giveUpOn(need)
      say(`without ${need.name}: ${need.lost}. To install ${need.name}: ${commandFor([need])}`)
    }
    return ''
  },
}
