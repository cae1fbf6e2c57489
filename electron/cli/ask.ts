import readline from 'node:readline/promises'

/** Asks on the terminal; undefined where there is none. */
export async function ask(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
