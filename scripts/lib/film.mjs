import sharp from 'sharp'

/** Milliseconds from one frame to the next. */
const interval = 200

/**
 * Films a page as an animated WebP picture.
 * @typedef {{ png: Buffer, milliseconds: number }} Frame
 */
export class Film {
  /** @type {Frame[]} */
  frames = []
  speed = 1
  isRunning = true

  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.done = this.record()
  }

  async record() {
    let last = performance.now()
    while (this.isRunning) {
      const png = await this.page.screenshot()
      const now = performance.now()
      const milliseconds = (now - last) / this.speed
      last = now
      const before = this.frames.at(-1)
      if (before?.png.equals(png) === true) before.milliseconds += milliseconds
      else this.frames.push({ png, milliseconds })
      await new Promise((resolve) => setTimeout(resolve, interval))
    }
  }

  /** What `work` shows goes past `speed` times as fast. */
  async faster(speed, work) {
    this.speed = speed
    try {
      return await work()
    } finally {
      this.speed = 1
    }
  }

  /** @returns {Promise<number>} its length in seconds */
  async write(file) {
    this.isRunning = false
    await this.done
    const delay = this.frames.map(({ milliseconds }) => Math.max(20, Math.round(milliseconds)))
    await sharp(
      this.frames.map(({ png }) => png),
      { join: { animated: true } },
    )
      .webp({ delay, loop: 0, quality: 60, effort: 6, minSize: true })
      .toFile(file)
    return delay.reduce((sum, one) => sum + one, 0) / 1000
  }
}
