// The steps of `npm run test:package`, each printed with how it went.

export const counts = { good: 0, failed: 0, skipped: 0 }

const indented = (text) => text.trimEnd().replace(/^/gm, '         ')

export function expectText(text, wanted) {
  if (!wanted.test(text)) throw new Error(`${wanted} is not in\n${text}`)
  return text
}

/** As apt-get, debootstrap, pip and curl word that a host cannot be reached. */
const offlineWords =
  /name or service not known|temporary failure (in name )?resol|could ?n.t resolve|could not resolve|failed to establish|network is unreachable|failed getting release file/i

/** Whether an error is that a host cannot be reached. */
export const isOffline = (error) => offlineWords.test(error.message)

/** Steps of which some need an earlier one. */
export class Steps {
  /** @param {string} [why] none of them can be made here */
  constructor(why = '') {
    /** Why the steps after it cannot be made; "" while all is well. */
    this.hindrance = why
  }

  /**
   * Runs one step and prints how it went.
   * @param {string} title
   * @param {() => Promise<string | void>} work what it returns is printed
   * @param {{ why?: string, needed?: boolean, downloads?: boolean }} [options] `why` it is impossible here; `needed`: without
   * it no more is tried; `downloads`: it is skipped where there is no network
   */
  async step(title, work, options = {}) {
    const { why = '', needed = false, downloads = false } = options
    const reason = this.hindrance || why
    if (reason) {
      counts.skipped += 1
      console.log(`skipped  ${title}: ${reason}`)
      return
    }
    const started = performance.now()
    try {
      const seen = await work()
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      counts.good += 1
      console.log(`good     ${title} … ${seconds} s${seen ? `\n${indented(seen)}` : ''}`)
    } catch (error) {
      if (needed) this.hindrance = `"${title}" failed`
      if (downloads && isOffline(error)) {
        counts.skipped += 1
        console.log(
          `skipped  ${title}: the download failed, because this machine has no network access`,
        )
        return
      }
      counts.failed += 1
      console.log(`FAILED   ${title}\n${indented(error.message)}`)
    }
  }
}
