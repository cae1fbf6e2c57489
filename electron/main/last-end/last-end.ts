import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { z } from 'zod'

import type { StartNews } from '../../contract/start-news'
import { log, logFile } from '../../engine/log-file'
import { readDump } from './minidump'
import type { Dump } from './minidump'

/** What a session notes while it runs; the note of one that was closed is gone. */
const note = z.object({
  pid: z.int(),
  /** Of the machine: it is another after each start of the system. */
  boot: z.string(),
  version: z.string(),
  startedAt: z.number(),
})
type Note = z.infer<typeof note>

/** How an earlier session ended that was not closed. */
export type UnexpectedEnd = NonNullable<StartNews['unexpectedEnd']>

const keptReports = 10
const keptDumps = 5
/** Bytes at the end of the log that go into a report. */
const logBytes = 20_000

const meanings: Readonly<Record<string, string>> = {
  SIGSEGV: 'a segmentation fault',
  SIGBUS: 'a bus error',
  SIGABRT: 'an abort',
  SIGILL: 'an illegal instruction',
  SIGTRAP: 'a failed check in Chromium',
  SIGFPE: 'an arithmetic error',
}

function bootId(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

function isAlive(pid: number): boolean {
  return fs.existsSync(`/proc/${pid}`)
}

/** Files of folders that end so, newest first. */
function newest(folders: readonly string[], ending: string): string[] {
  const files = folders
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) => fs.readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((file) => file.endsWith(ending))
  // The crash handler moves what it has written, and may do so now.
  const time = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return files.sort((a, b) => time(b) - time(a))
}

/** undefined for a file that is gone or no dump. */
function dumpIn(file: string): Dump | undefined {
  try {
    return readDump(fs.readFileSync(file))
  } catch {
    return undefined
  }
}

function tailOf(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').slice(-logBytes)
  } catch {
    return ''
  }
}

/** Notes of how sessions end, in the state folder. */
export class LastEnd {
  constructor(
    private readonly stateFolder: string,
    private readonly version: string,
  ) {}

  private get noteFile(): string {
    return path.join(this.stateFolder, 'running.json')
  }

  /** Where Chromium's crash handler writes: index.ts has named their folder. */
  private get dumpFolders(): string[] {
    return ['new', 'pending', 'completed'].map((name) =>
      path.join(this.stateFolder, 'crashes', name),
    )
  }

  /** Notes that this session runs; how the one before ended, if it was not closed. */
  begin(): UnexpectedEnd | null {
    const before = this.readNote()
    const now = { pid: process.pid, boot: bootId(), version: this.version, startedAt: Date.now() }
    fs.mkdirSync(this.stateFolder, { recursive: true })
    fs.writeFileSync(this.noteFile, JSON.stringify(now))
    if (!before || (before.boot === now.boot && isAlive(before.pid))) return null
    return before.boot === now.boot ? this.report(before) : null
  }

  /** This session is closed. */
  end(): void {
    fs.rmSync(this.noteFile, { force: true })
  }

  private readNote(): Note | undefined {
    try {
      return note.parse(JSON.parse(fs.readFileSync(this.noteFile, 'utf8')))
    } catch {
      return undefined
    }
  }

  /** The dump of a process, among the newest. Older ones are removed. */
  private dumpOf(pid: number): { file: string; dump: Dump | undefined } | undefined {
    const dumps = newest(this.dumpFolders, '.dmp')
    for (const old of dumps.slice(keptDumps)) fs.rmSync(old, { force: true })
    return dumps
      .slice(0, keptDumps)
      .map((file) => ({ file, dump: dumpIn(file) }))
      .find(({ dump }) => dump?.pid === pid)
  }

  private report(before: Note): UnexpectedEnd {
    // One that the crash handler moves while it is looked for is at its new place then.
    const found = this.dumpOf(before.pid) ?? this.dumpOf(before.pid)
    const signal = Object.entries(os.constants.signals).find(
      ([, number]) => number === found?.dump?.signal,
    )?.[0]
    const why =
      signal === undefined
        ? 'the process was killed, or memory ran out'
        : `${meanings[signal] ?? 'a signal'} (${signal})`
    const message = `Opsmith ended unexpectedly: ${why}. Your project, unsaved edits and last results are restored.`
    const folder = path.join(this.stateFolder, 'reports')
    const file = path.join(folder, `${new Date().toISOString().replaceAll(':', '-')}.txt`)
    const lines = [
      message,
      '',
      `Opsmith ${before.version}, Electron ${process.versions.electron ?? ''}, ${os.type()} ${os.release()} ${os.arch()}`,
      `process ${before.pid}, started ${new Date(before.startedAt).toISOString()}`,
      `crash dump: ${found?.file ?? 'none'}`,
      '',
      'The end of the log:',
      tailOf(logFile(this.stateFolder)),
    ]
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(file, lines.join('\n'))
    for (const old of newest([folder], '.txt').slice(keptReports)) fs.rmSync(old, { force: true })
    log(this.stateFolder, `an earlier session ended unexpectedly: ${why}; report ${file}`)
    return { message, report: file }
  }
}
