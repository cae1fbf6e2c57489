import readline from 'node:readline/promises'

/** Asks on the terminal. @returns {Promise<boolean | undefined>} undefined where there is none */
export async function confirm(question) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}
