import path from 'node:path'

import { uriOf } from './convert'
import type { ClangdServer } from './server'

interface Document {
  text: string
  version: number
  /** The window has it; else it was opened to look for a name in it. */
  shown: boolean
  /** What clangd was last told, and which version it was asked to judge; -1 for none. */
  sent: number
  judged: number
  /** The version that clangd's last word was about. */
  answered: number
  lastUsed: number
}

/**
 * How many files clangd holds at a time. Each costs it what libtorch's headers take, some 150 MB and
 * seconds to read again: those used last stay.
 */
const mostOpen = 6

export function isCudaFile(file: string): boolean {
  return ['.cu', '.cuh'].includes(path.extname(file))
}

/** The texts that clangd is to see, unsaved ones; what a new clangd is told is all here. */
export class Documents {
  private readonly all = new Map<string, Document>()
  private uses = 0

  has(file: string): boolean {
    return this.all.has(file)
  }

  isShown(file: string): boolean {
    return this.all.get(file)?.shown === true
  }

  textOf(file: string): string {
    return this.all.get(file)?.text ?? ''
  }

  versionOf(file: string): number {
    return this.all.get(file)?.version ?? -1
  }

  noteAnswer(file: string, version: number): void {
    const document = this.all.get(file)
    if (document) document.answered = Math.max(document.answered, version)
  }

  /** clangd holds this very text, and has read it. */
  isRead(file: string): boolean {
    const document = this.all.get(file)
    return document !== undefined && document.sent >= 0 && document.answered >= document.version
  }

  get anyShown(): boolean {
    return [...this.all.values()].some((document) => document.shown)
  }

  /** What the window holds now; an older version than the one known is a file that was opened anew. */
  show(file: string, text: string, version: number): void {
    const document = this.all.get(file)
    if (!document || document.version > version) {
      this.all.set(file, this.fresh(text, version, true))
      return
    }
    // Of a text that it knows clangd says nothing anew.
    const known = document.text === text && document.answered === document.version
    Object.assign(document, { text, version, shown: true, lastUsed: ++this.uses })
    if (known) document.answered = version
  }

  /** What lies on disk, of a file that the window does not hold. */
  lend(file: string, text: string): void {
    const document = this.all.get(file)
    if (document?.shown === true) return
    if (!document) this.all.set(file, this.fresh(text, 0, false))
    else if (document.text !== text)
      Object.assign(document, { text, version: document.version + 1 })
  }

  private fresh(text: string, version: number, shown: boolean): Document {
    return { text, version, shown, sent: -1, judged: -1, answered: -1, lastUsed: ++this.uses }
  }

  /**
   * Brings clangd up to date on one file.
   * @param judge diagnostics are wanted for this very version, now: clangd waits for the end of the
   * typing otherwise
   * @returns whether the file is new to it
   * @param atLeast so many files have to be held at a time
   */
  sync(server: ClangdServer, file: string, judge: boolean, atLeast = 0): boolean {
    const document = this.all.get(file)
    if (!document) return false
    document.lastUsed = ++this.uses
    const { text, version } = document
    if (document.sent < 0) {
      this.makeRoom(server, file, Math.max(mostOpen, atLeast))
      const languageId = isCudaFile(file) ? 'cuda' : 'cpp'
      server.notify('textDocument/didOpen', {
        textDocument: { uri: uriOf(file), languageId, version, text },
      })
      Object.assign(document, { sent: version, judged: version })
      return true
    }
    if (document.sent === version && (!judge || document.judged === version)) return false
    server.notify('textDocument/didChange', {
      textDocument: { uri: uriOf(file), version },
      contentChanges: [{ text }],
      ...(judge ? { wantDiagnostics: true } : {}),
    })
    document.sent = version
    if (judge) document.judged = version
    return false
  }

  private makeRoom(server: ClangdServer, file: string, most: number): void {
    const open = [...this.all]
      .filter(([name, document]) => document.sent >= 0 && name !== file)
      .sort(([, a], [, b]) => a.lastUsed - b.lastUsed)
    for (const [name, document] of open.slice(0, Math.max(0, open.length + 1 - most))) {
      server.notify('textDocument/didClose', { textDocument: { uri: uriOf(name) } })
      Object.assign(document, { sent: -1, answered: -1 })
      if (!document.shown) this.all.delete(name)
    }
  }

  /** The window let go of it. */
  close(server: ClangdServer | undefined, file: string): void {
    if ((this.all.get(file)?.sent ?? -1) >= 0) {
      server?.notify('textDocument/didClose', { textDocument: { uri: uriOf(file) } })
    }
    this.all.delete(file)
  }

  /**
   * A new clangd knows none of them: what is shown is told again, the one used last first.
   * @returns what it was told
   */
  tellAll(server: ClangdServer): string[] {
    for (const [name, document] of [...this.all]) {
      if (document.shown) Object.assign(document, { sent: -1, answered: -1 })
      else this.all.delete(name)
    }
    const recent = [...this.all].sort(([, a], [, b]) => b.lastUsed - a.lastUsed)
    const files = recent.slice(0, mostOpen).map(([file]) => file)
    for (const file of files) this.sync(server, file, true)
    return files
  }

  clear(): void {
    this.all.clear()
  }
}
