import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import type { ConflictDecision, ExportForm, FileChange } from '../../contract/export'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { ioError, makeFolder } from '../project/files'
import { joinOwn, withoutLinks } from '../project/inside'
import { hashOfFile, readRecord, recordFile, recordOf } from './file-tree'
import type { ExportRecord, FileTree } from './file-tree'
import { unifiedDiff } from './text-diff'

/** What is at the target already. */
interface Present {
  exists: boolean
  record: ExportRecord | undefined
  /** Files that an export wrote, or would write; absent where they are not there. */
  files: Map<string, Buffer>
}

function linked(directory: string): Result<never> {
  return err(
    'file.conflict',
    `${directory} is a symbolic link: Opsmith does not write exports through links.`,
    {
      hint: 'Choose the folder that the link points to, or delete the link.',
      path: directory,
    },
  )
}

async function readPresent(directory: string, tree: FileTree): Promise<Result<Present>> {
  try {
    const isLink = (await fs.lstat(directory)).isSymbolicLink()
    if (isLink) return linked(directory)
    const names = await fs.readdir(directory)
    const text = names.includes(recordFile)
      ? await fs.readFile(path.join(directory, recordFile), 'utf8')
      : ''
    const record = readRecord(text)
    if (record === undefined && names.length > 0) {
      return err(
        'file.conflict',
        `Opsmith does not overwrite ${directory}, because Opsmith did not write this folder.`,
        {
          hint: 'Choose another folder, or delete the files in this folder.',
          path: directory,
        },
      )
    }
    const files = new Map<string, Buffer>()
    for (const name of new Set([...Object.keys(record?.files ?? {}), ...tree.keys()])) {
      const place = await withoutLinks(directory, name)
      if (!place.ok) return place
      const stat = await fs.lstat(place.value).catch(() => undefined)
      if (stat?.isFile()) files.set(name, await fs.readFile(place.value))
      // A link instead of a file counts as one that was changed by hand.
      if (stat?.isSymbolicLink()) files.set(name, Buffer.from(await fs.readlink(place.value)))
    }
    return ok({ exists: true, record, files })
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing) return ok({ exists: false, record: undefined, files: new Map() })
    return ioError(error, `read ${directory}`)
  }
}

const isText = (content: Buffer): boolean => !content.includes(0)

function diffOf(name: string, before: Buffer | undefined, after: Buffer | undefined): string {
  const texts = [before, after].map((content) => content ?? Buffer.alloc(0))
  const [old, fresh] = texts
  if (!old || !fresh || !texts.every(isText)) return ''
  return unifiedDiff(name, old.toString(), fresh.toString())
}

function changesBetween(present: Present, tree: FileTree): FileChange[] {
  const known = present.record?.files ?? {}
  const changes: FileChange[] = []
  for (const name of [...new Set([...Object.keys(known), ...tree.keys()])].sort()) {
    const [before, after] = [present.files.get(name), tree.get(name)]
    const was = known[name]
    // Deleted by hand counts as changed by hand; so does a file of theirs where we would write one.
    const byHand = present.exists && (before ? hashOfFile(before) !== was : was !== undefined)
    if (before && after && before.equals(after)) {
      changes.push({ path: name, change: 'same', byHand: false, diff: '' })
    } else if (before && after) {
      changes.push({ path: name, change: 'changed', byHand, diff: diffOf(name, before, after) })
    } else if (after) {
      changes.push({ path: name, change: 'added', byHand, diff: '' })
    } else if (before) {
      changes.push({ path: name, change: 'removed', byHand, diff: '' })
    }
  }
  return changes
}

/** The files of the export in a folder, sorted. Error: there is none. */
export async function exportedFiles(directory: string): Promise<Result<string[]>> {
  const text = await fs.readFile(path.join(directory, recordFile), 'utf8').catch(() => '')
  const record = readRecord(text)
  return record
    ? ok(Object.keys(record.files).sort())
    : err('io', `${directory} has no export.`, { hint: 'Export the project to this folder first.' })
}

export interface TargetDiff {
  exists: boolean
  files: FileChange[]
}

/** What writing the tree would do to what is there; nothing is written. */
export async function diffTree(directory: string, tree: FileTree): Promise<Result<TargetDiff>> {
  const present = await readPresent(directory, tree)
  if (!present.ok) return present
  return ok({ exists: present.value.exists, files: changesBetween(present.value, tree) })
}

export interface WrittenTree {
  /** Files that were changed by hand and are left so. */
  kept: string[]
  log: string
}

/** Of folders that were made for an export, from the lowest on, those that are empty. */
async function removeEmpty(lowest: string, highest: string): Promise<void> {
  for (let at = lowest; at.length >= highest.length; at = path.dirname(at)) await fs.rmdir(at)
}

/**
 * Writes an export: whole or not at all. All bytes go to a folder next to the target first; a new
 * target is one rename, in one that is there each file is one.
 */
export async function writeTree(
  directory: string,
  tree: FileTree,
  names: { project: string; form: ExportForm },
  decisions: Readonly<Record<string, ConflictDecision>>,
): Promise<Result<WrittenTree>> {
  const present = await readPresent(directory, tree)
  if (!present.ok) return present
  const changes = changesBetween(present.value, tree)
  const decide = (name: string): ConflictDecision | undefined =>
    decisions[`${names.form}/${name}`] ?? decisions['*']
  const byHand = changes.filter((change) => change.byHand)
  const undecided = byHand.filter((change) => decide(change.path) === undefined)
  const [first] = undecided
  if (first) {
    return err(
      'file.conflict',
      `${undecided.map((change) => `${names.form}/${change.path}`).join(', ')} ${undecided.length === 1 ? 'was' : 'were'} changed by hand since the export.`,
      {
        hint: 'Choose for each file: --keep FILE keeps your version, --overwrite FILE replaces it.',
        path: `${names.form}/${first.path}`,
      },
    )
  }
  const kept = new Set(
    byHand.filter((change) => decide(change.path) === 'keep').map((change) => change.path),
  )
  const parent = path.dirname(directory)
  const staging = path.join(parent, `.${path.basename(directory)}.${randomUUID().slice(0, 8)}`)
  let made = ''
  let whole = false
  try {
    made = await makeFolder(parent)
    const record = recordOf(names.project, names.form, tree)
    for (const [name, content] of [...tree, [recordFile, Buffer.from(record)] as const]) {
      const file = joinOwn(staging, name)
      await makeFolder(path.dirname(file))
      await fs.writeFile(file, content)
    }
    if (!present.value.exists) {
      await fs.rename(staging, directory)
    } else {
      for (const change of changes) {
        const target = joinOwn(directory, change.path)
        if (kept.has(change.path) || change.change === 'same') continue
        if (change.change === 'removed') {
          await fs.rm(target, { force: true })
        } else {
          await makeFolder(path.dirname(target))
          await fs.rename(joinOwn(staging, change.path), target)
        }
      }
      await fs.rename(path.join(staging, recordFile), path.join(directory, recordFile))
    }
    whole = true
  } catch (error) {
    const { code, message } = ioError(error, `write ${directory}`).error
    return err(code, message, { hint: 'Choose a writable folder on a disk with free space.' })
  } finally {
    await fs.rm(staging, { recursive: true, force: true }).catch(() => undefined)
    // Another form may have written there in the meantime.
    if (!whole && made !== '') await removeEmpty(parent, made).catch(() => undefined)
  }
  const log = changes
    .filter((change) => change.change !== 'same')
    .map(
      (change) =>
        `${kept.has(change.path) ? 'kept your version of' : change.change} ${change.path}`,
    )
  return ok({
    kept: [...kept].sort(),
    log: log.length === 0 ? 'nothing has changed since the last export\n' : `${log.join('\n')}\n`,
  })
}
