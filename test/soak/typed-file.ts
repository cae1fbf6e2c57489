import fs from 'node:fs'

import type { Page } from 'playwright-core'

/** Milliseconds from one key to the next. */
const pace = 30
/** Keys from one Ctrl+S to the next. */
const betweenSaves = 40

const letter = (index: number): string => String.fromCharCode(97 + (index % 26))

export interface Typing {
  /** Resolves after the last key. */
  stop(): Promise<void>
}

/** A file that is typed into: knows what the editor and the disk may hold. */
export class TypedFile {
  /** What the editor held when typing began. */
  private base: string
  /** Every text that was saved. */
  private readonly saved: Set<string>
  /** When each letter was typed since, by performance.now(). */
  private times: number[] = []

  constructor(private readonly file: string) {
    this.base = fs.readFileSync(file, 'utf8')
    this.saved = new Set([this.base])
  }

  private typed(letters: number): string {
    return Array.from({ length: letters }, (_, index) => letter(index)).join('')
  }

  /** Types at the caret, which is at the end, and saves now and then. A page that has died ends it. */
  type(page: Page): Typing {
    let stopped = false
    const work = async (): Promise<void> => {
      while (!stopped) {
        const count = this.times.length
        await page.keyboard.press(letter(count))
        this.times.push(performance.now())
        if (count % betweenSaves === betweenSaves - 1) {
          this.saved.add(this.base + this.typed(count + 1))
          await page.keyboard.press('Control+S')
        }
        await new Promise((resolve) => setTimeout(resolve, pace))
      }
    }
    const done = work().catch(() => undefined)
    return {
      stop: async () => {
        stopped = true
        // A press into a page that crashed may never be answered.
        await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 2_000))])
      },
    }
  }

  /**
   * Milliseconds of typing that a kill at that time has cost, and begins anew from what the editor shows.
   * @throws where the text is not what was typed, in order
   */
  lostBy(killed: number, text: string): number {
    const kept = text.slice(this.base.length)
    // A key that was under way may have arrived.
    const most = this.typed(this.times.length + 1)
    if (!text.startsWith(this.base) || !most.startsWith(kept))
      throw new Error(`the editor shows what nobody typed: …${text.slice(-200)}`)
    const firstLost = this.times[kept.length]
    this.saved.add(text)
    this.base = text
    this.times = []
    return firstLost === undefined ? 0 : Math.max(killed - firstLost, 0)
  }

  /** The file's name where it holds no text that was ever saved. */
  tornOnDisk(): string[] {
    return this.saved.has(fs.readFileSync(this.file, 'utf8')) ? [] : [this.file]
  }
}
