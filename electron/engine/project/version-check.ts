import fs from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import path from 'node:path'

import { z } from 'zod'

import type { Settings } from '../../contract/settings'
import type { Installation } from '../installation'
import { writeAtomically } from './files'

const day = 24 * 3600 * 1000
/** Milliseconds. */
const patience = 10_000
const mostBytes = 1_000_000

const packageFile = z.object({
  repository: z.union([z.string(), z.object({ url: z.string() })]).optional(),
  homepage: z.string().optional(),
})

/** GitHub's address of the latest release; else latest.json of the homepage; "" for neither. */
function addressOf({ repository, homepage }: z.infer<typeof packageFile>): string {
  const url = typeof repository === 'string' ? repository : (repository?.url ?? '')
  const [, owner, name] = /github(?:\.com[/:]|:)([\w.-]+)\/([\w.-]+?)(?:\.git)?$/.exec(url) ?? []
  if (owner !== undefined && name !== undefined)
    return `https://api.github.com/repos/${owner}/${name}/releases/latest`
  return homepage?.startsWith('https://') === true
    ? `${homepage.replace(/\/$/, '')}/latest.json`
    : ''
}

/** The one address that a check reads: the settings', else that of this build; "" for none. */
export async function versionAddress(
  { root }: Pick<Installation, 'root'>,
  settings: Pick<Settings, 'versionAddress'>,
): Promise<string> {
  if (settings.versionAddress !== '') return settings.versionAddress
  try {
    const text = await fs.readFile(path.join(root, 'package.json'), 'utf8')
    return addressOf(packageFile.parse(JSON.parse(text)))
  } catch {
    return ''
  }
}

/** GitHub refuses a request without a name of a program. No other address is followed. */
async function get(address: string): Promise<string> {
  const { request } = address.startsWith('https:') ? https : http
  return await new Promise((resolve, reject) => {
    const headers = { accept: 'application/json', 'user-agent': 'opsmith' }
    const asked = request(address, { headers, timeout: patience, agent: false }, (answer) => {
      let text = ''
      if (answer.statusCode !== 200)
        asked.destroy(new Error(`the server answered with status ${answer.statusCode ?? 0}`))
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
        if (text.length > mostBytes)
          asked.destroy(new Error('the server sent a response larger than 1 MB'))
      })
      answer.on('error', reject)
      answer.on('end', () => {
        resolve(text)
      })
    })
    asked.on('timeout', () =>
      asked.destroy(new Error(`the server did not answer within ${patience / 1000} s`)),
    )
    asked.on('error', reject)
    asked.end()
  })
}

const answered = z.union([
  z.object({ tag_name: z.string() }).transform(({ tag_name: name }) => name),
  z.object({ version: z.string() }).transform(({ version }) => version),
])

const isNewer = (one: string, other: string): boolean =>
  one.localeCompare(other, 'en', { numeric: true }) > 0

/** Whether it is time for a check. It counts as made before it begins: one that fails is not repeated on that day. */
async function isDue(stateFolder: string, now: number): Promise<boolean> {
  const file = path.join(stateFolder, 'version-check')
  const last = Number(await fs.readFile(file, 'utf8').catch(() => '0'))
  // A clock that was set back would prevent checks for as long.
  if (now >= last && now - last < day) return false
  await writeAtomically(file, String(now))
  return true
}

/**
 * Asks the address for the newest version, if the settings allow it, at most once a day. Nothing but the request goes out.
 * @throws where the address does not answer with a version
 * @returns a version that is newer than `own`; undefined for none
 */
export async function findNewerVersion(
  installation: Pick<Installation, 'root' | 'stateFolder'>,
  settings: Pick<Settings, 'checkVersion' | 'versionAddress'>,
  own: string,
): Promise<{ version: string; address: string } | undefined> {
  if (!settings.checkVersion) return undefined
  const address = await versionAddress(installation, settings)
  if (address === '' || !(await isDue(installation.stateFolder, Date.now()))) return undefined
  const name = answered.parse(JSON.parse(await get(address)))
  const version = /^v?(\d+\.\d+\.\d+)$/.exec(name)?.[1] ?? ''
  return isNewer(version, own) ? { version, address } : undefined
}
