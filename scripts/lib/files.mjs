import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** @returns {any} undefined when the file is missing or is not JSON: an interrupted write counts as none. */
export function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Whole or not at all: written beside its place, then renamed. */
export function writeWhole(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  fs.writeFileSync(temporary, text)
  fs.renameSync(temporary, file)
}

export function writeJson(file, value) {
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`)
}

/** Every file below `folder`, as sorted relative paths; links are not followed. */
export function listFiles(folder, skip = (_relative) => false) {
  const found = []
  const visit = (relative) => {
    const entries = fs.readdirSync(path.join(folder, relative), { withFileTypes: true })
    for (const entry of entries) {
      const name = path.join(relative, entry.name)
      if (skip(name)) continue
      if (entry.isDirectory()) visit(name)
      else if (entry.isFile()) found.push(name)
    }
  }
  if (fs.existsSync(folder)) visit('')
  return found.sort()
}

/**
 * Identifies texts and files (absolute paths) by content.
 * @param {{ texts?: string[], files?: string[] }} of
 */
export function hashOf({ texts = [], files = [] }) {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`text ${text.length}\n${text}\n`)
  for (const file of files) {
    const bytes = fs.readFileSync(file)
    hash.update(`file ${path.basename(file)} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex').slice(0, 32)
}

/** Files below several folders of the clone, hashed with their names. */
export function hashTree(base, entries, skip) {
  const files = []
  for (const entry of entries) {
    const absolute = path.join(base, entry)
    if (!fs.existsSync(absolute)) continue
    if (fs.statSync(absolute).isFile()) files.push(absolute)
    else files.push(...listFiles(absolute, skip).map((name) => path.join(absolute, name)))
  }
  return hashOf({ texts: files.map((file) => path.relative(base, file)), files })
}

/** A new empty folder beside `target`, on the same file system, for replaceFolder. */
export function makeTemporaryFolder(target) {
  const folder = `${target}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  return folder
}

/** Puts a finished folder in its place in one step; what was there goes. */
export function replaceFolder(finished, target) {
  const old = `${target}.${process.pid}.old.tmp`
  fs.rmSync(old, { recursive: true, force: true })
  if (fs.existsSync(target)) fs.renameSync(target, old)
  fs.renameSync(finished, target)
  fs.rmSync(old, { recursive: true, force: true })
}

/** Takes away what interrupted set-ups left beside `target`; their names end in .tmp and hold a process id. */
export function removeLeftovers(target) {
  const folder = path.dirname(target)
  if (!fs.existsSync(folder)) return
  for (const name of fs.readdirSync(folder)) {
    const match = /\.(\d+)\.[0-9a-z]+\.tmp$/.exec(name)
    if (!match || !name.startsWith(path.basename(target)) || isAlive(Number(match[1]))) continue
    fs.rmSync(path.join(folder, name), { recursive: true, force: true })
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
