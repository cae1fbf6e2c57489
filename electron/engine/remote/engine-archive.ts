import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { ownVersion } from '../installation'
import type { Installation } from '../installation'
import { findOnPath } from '../toolchain/find-on-path'
import { compileLimits, runProcess } from '../toolchain/run-command'
import {
  addonHeaders,
  builtFolders,
  commonLibraries,
  engineFiles,
  oldestNode,
  terminalBinary,
} from './engine-files'

/** Something that is sent to another machine, and unpacked there in a folder of this name. */
export interface Archive {
  name: string
  file: string
  bytes: number
  sha256: string
}

/** Archives that are kept here: the engine with and without machine code, and Node. */
const mostKept = 4

/** The files below an entry, relative to the root and sorted; links are followed, as node_modules may be one. */
function filesOf(root: string, entry: string): string[] {
  const place = path.join(root, entry)
  const stat = fs.statSync(place, { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isDirectory()) return [entry]
  if (builtFolders.includes(path.basename(entry))) return []
  return fs
    .readdirSync(place)
    .sort()
    .flatMap((name) => filesOf(root, path.join(entry, name)))
}

const namesByRoot = new Map<string, string>()

/**
 * The name of this engine on another machine: its version, and a hash of its files, which a clone changes without a
 * new version.
 */
export function engineName(root: string): string {
  const known = namesByRoot.get(root)
  if (known !== undefined) return known
  const hash = createHash('sha256')
  for (const file of [...engineFiles, ...addonHeaders].flatMap((entry) => filesOf(root, entry))) {
    const bytes = fs.readFileSync(path.join(root, file))
    hash.update(`${file} ${bytes.length}\n`).update(bytes)
  }
  const name = `${ownVersion(root)}-${hash.digest('hex').slice(0, 12)}`
  namesByRoot.set(root, name)
  return name
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of fs.createReadStream(file)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

/** Makes an archive by the system's tar, unless it is there; older ones go. */
async function made(
  folder: string,
  name: string,
  { words, input, level }: { words: string[]; input: string; level: number },
): Promise<Result<Archive>> {
  const file = path.join(folder, `${name}.tar.gz`)
  if (!fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true })
    const part = `${file}.${process.pid}.part`
    const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--dereference']
    const command = [`--use-compress-program=gzip -${level}`, '-cf', part, ...owner, ...words]
    const packed = await runProcess('tar', command, { input, limits: compileLimits })
    if (packed.exitCode !== 0) {
      fs.rmSync(part, { force: true })
      return err(
        'internal',
        'tar could not pack the files that Opsmith copies to the other machine.',
        {
          hint: `Check that tar and gzip are installed and that the disk of ${folder} is not full.`,
          detail: packed.stderr,
        },
      )
    }
    fs.renameSync(part, file)
    const all = fs.readdirSync(folder).map((one) => path.join(folder, one))
    const newestFirst = all
      .map((one) => ({ one, time: fs.statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((a, b) => b.time - a.time)
    for (const { one } of newestFirst.slice(mostKept)) fs.rmSync(one, { force: true })
  }
  return ok({ name, file, bytes: fs.statSync(file).size, sha256: await sha256Of(file) })
}

const archiveFolder = ({ cacheFolder }: Pick<Installation, 'cacheFolder'>): string =>
  path.join(cacheFolder, 'engine-archives')

/**
 * The engine of this installation as an archive.
 * @param isSameMachine the other machine runs machine code of this one
 */
export async function engineArchive(
  installation: Pick<Installation, 'root' | 'cacheFolder'>,
  isSameMachine: boolean,
): Promise<Result<Archive>> {
  const { root } = installation
  const entries = [...engineFiles, ...addonHeaders, ...(isSameMachine ? [terminalBinary] : [])]
  const files = entries.flatMap((entry) => filesOf(root, entry))
  const name = engineName(root)
  const archive = await made(
    archiveFolder(installation),
    isSameMachine ? `${name}-${process.arch}` : name,
    { words: ['-C', root, '--null', '-T', '-'], input: files.join('\0'), level: 6 },
  )
  return archive.ok ? ok({ ...archive.value, name }) : archive
}

/** Whether `v22.1.0` is a Node that runs the engine. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/** A Node of this machine that runs on others as well: it is linked with the system's libraries only. */
export async function nodeToSend(
  installation: Pick<Installation, 'plainNode'>,
): Promise<{ file: string; version: string } | undefined> {
  const file = installation.plainNode === '' ? findOnPath('node') : installation.plainNode
  if (file === undefined) return undefined
  const { stdout: version, exitCode } = await runProcess(file, ['--version'])
  if (exitCode !== 0 || !isNewEnough(version.trim())) return undefined
  const linked = await runProcess('ldd', [file])
  const names = linked.stdout
    .split('\n')
    .map((line) => path.basename(line.trim().split(/\s/)[0] ?? ''))
  const isCommon = names.every((name) => name === '' || commonLibraries.test(name))
  return linked.exitCode === 0 && isCommon ? { file, version: version.trim() } : undefined
}

/** A Node as an archive: `node`, and its licence where that is found. */
export async function nodeArchive(
  installation: Pick<Installation, 'cacheFolder'>,
  { file, version }: { file: string; version: string },
): Promise<Result<Archive>> {
  const real = fs.realpathSync(file)
  const folder = path.dirname(real)
  const licences = ['../LICENSE', '../share/doc/nodejs/LICENSE']
  const licence = licences.map((name) => path.join(folder, name)).find((one) => fs.existsSync(one))
  const words = ['--transform=s,.*/,,', `--transform=s,^${path.basename(real)}$,node,`, '-P', real]
  return await made(
    archiveFolder(installation),
    `node-${version}-${process.platform}-${process.arch}`,
    // A hundred megabytes: the user waits for them.
    { words: [...words, ...(licence === undefined ? [] : [licence])], input: '', level: 1 },
  )
}
