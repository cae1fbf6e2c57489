import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import type { IPty } from '@lydell/node-pty'

import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import type { Installation } from '../engine/installation'
import { endTree, newTree, treeEnvironment } from '../engine/toolchain/process-tree'

/** What the shells print, and how they end. */
export interface TerminalEvents {
  onText: (terminal: string, text: string) => void
  onEnd: (terminal: string, exitCode: number) => void
}

interface Terminal {
  pty: IPty
  /** Resolves when the shell has ended. */
  ended: Promise<void>
  tree: string
  /** Characters that were sent and that the window has not drawn yet. */
  undrawn: number
}

/** Of one project: more are opened by mistake. */
const most = 20
/** Characters that may wait to be drawn before the shell has to wait, and how few let it go on. */
const fullAt = 400_000
const drainedAt = 100_000
/** Of one message. */
const largestText = 60_000
/** Milliseconds for a shell to clean up after SIGHUP: one that is killed leaves its lock files. */
const patience = 1_000

/** Variables of this process that say nothing to programs in a shell, or make them something else. */
const ownVariables =
  /^(ELECTRON_|CHROME_|OPSMITH_(TESTS|CALLER_FOLDER|STARTED_BY)|NODE_(ENV|OPTIONS)|ORIGINAL_XDG_)/

/** The terminals of the open project. Closing the project ends them, with all that was started in them. */
export class Terminals {
  private readonly open = new Map<string, Terminal>()

  constructor(private readonly events: TerminalEvents) {}

  /**
   * Starts the user's shell. Its name in all that follows comes back.
   * @param place.environment the Python environment that is active in it; "" for none but the shell's own
   */
  async start(
    installation: Installation,
    { folder, environment: python }: { folder: string; environment: string },
    size: { columns: number; rows: number },
  ): Promise<Result<{ terminal: string; shell: string }>> {
    if (this.open.size >= most)
      return err(
        'request.invalid',
        `${most} terminals are open, which is the limit. Close a terminal first.`,
      )
    const shell = userShell()
    const tree = newTree()
    const environment = await shellEnvironment(installation, tree, python)
    try {
      // Not before somebody opens a terminal: the window's start needs none of it.
      const { spawn } = await import('@lydell/node-pty')
      const pty = spawn(shell, [], {
        name: 'xterm-256color',
        cols: size.columns,
        rows: size.rows,
        cwd: folder,
        env: environment,
      })
      const terminal = randomUUID()
      const ended = new Promise<void>((resolve) => {
        pty.onExit(() => {
          resolve()
        })
      })
      this.open.set(terminal, { pty, ended, tree, undrawn: 0 })
      pty.onData((text) => {
        this.send(terminal, text)
      })
      pty.onExit(({ exitCode }) => {
        if (!this.open.delete(terminal)) return
        void endTree(tree)
        this.events.onEnd(terminal, exitCode)
      })
      return ok({ terminal, shell: path.basename(shell) })
    } catch (error) {
      return err('io', `A terminal could not be started with ${shell}.`, {
        detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
        hint: 'Set the environment variable SHELL to a shell that runs on this machine. Then start Opsmith again.',
      })
    }
  }

  private send(name: string, text: string): void {
    const terminal = this.open.get(name)
    if (!terminal) return
    for (let at = 0; at < text.length; at += largestText)
      this.events.onText(name, text.slice(at, at + largestText))
    terminal.undrawn += text.length
    if (terminal.undrawn > fullAt) terminal.pty.pause()
  }

  /** The window has drawn so many characters; a shell that waited for it goes on. */
  drawn(name: string, characters: number): void {
    const terminal = this.open.get(name)
    if (!terminal) return
    terminal.undrawn = Math.max(0, terminal.undrawn - characters)
    if (terminal.undrawn < drainedAt) terminal.pty.resume()
  }

  /** Keys and pasted text. */
  write(name: string, text: string): void {
    this.open.get(name)?.pty.write(text)
  }

  resize(name: string, columns: number, rows: number): void {
    this.open.get(name)?.pty.resize(columns, rows)
  }

  /** Ends the shell and all that was started in it. */
  async close(name: string): Promise<void> {
    const terminal = this.open.get(name)
    if (!terminal) return
    this.open.delete(name)
    terminal.pty.kill('SIGHUP')
    await Promise.race([terminal.ended, wait(patience, undefined, { ref: false })])
    await endTree(terminal.tree)
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.open.keys()].map((name) => this.close(name)))
  }
}

function userShell(): string {
  const chosen = process.env['SHELL'] ?? os.userInfo().shell ?? ''
  return [chosen, '/bin/bash'].find((shell) => shell !== '' && fs.existsSync(shell)) ?? '/bin/sh'
}

/**
 * The environment of a shell: `opsmith` is this Opsmith, `python` that of the project.
 * @param python the folder of its Python environment; "" for none
 */
async function shellEnvironment(
  installation: Installation,
  tree: string,
  python: string,
): Promise<Record<string, string>> {
  const own = Object.entries(process.env).filter(([name]) => !ownVariables.test(name))
  const folders = [
    await commandFolder(installation),
    ...(python === '' ? [] : [path.join(python, 'bin')]),
    process.env['PATH'] ?? '',
  ]
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    ...treeEnvironment(tree),
    ...(python === '' ? {} : { VIRTUAL_ENV: python }),
    PATH: folders.join(path.delimiter),
    COLORTERM: 'truecolor',
    TERM_PROGRAM: 'opsmith',
  }
}

/** A folder in the cache with the command `opsmith`, which starts the command line of this installation and of no other. */
async function commandFolder({ cacheFolder, root, plainNode }: Installation): Promise<string> {
  // Plain Node reads no archive: the command line is unpacked next to it.
  const script = path.join(root.replace(/app\.asar$/, 'app.asar.unpacked'), 'dist', 'cli.cjs')
  const [node, variables] =
    plainNode === '' ? [process.execPath, 'ELECTRON_RUN_AS_NODE=1 '] : [plainNode, '']
  const text = `#!/bin/sh\n${variables}exec ${quoted(node)} ${quoted(script)} "$@"\n`
  const key = createHash('sha256').update(text).digest('hex').slice(0, 12)
  const folder = path.join(cacheFolder, 'bin', key)
  const file = path.join(folder, 'opsmith')
  if ((await fs.promises.readFile(file, 'utf8').catch(() => '')) === text) return folder
  await fs.promises.mkdir(folder, { recursive: true })
  const temporary = `${file}.${randomUUID().slice(0, 8)}`
  await fs.promises.writeFile(temporary, text, { mode: 0o755 })
  await fs.promises.rename(temporary, file)
  return folder
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
