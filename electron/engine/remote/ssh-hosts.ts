import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/** The words of a line, quotes removed: `Host "a b" c`, and `Host=a`. */
function wordsOf(line: string): string[] {
  const text = line.trim()
  if (text.startsWith('#')) return []
  const [, keyword = '', rest = ''] = /^(\w+)(?:\s*=\s*|\s+)(.*)$/.exec(text) ?? []
  const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
  return keyword === '' ? [] : [keyword.toLowerCase(), ...words]
}

/** A pattern, or a host that is excluded: nobody connects to it by that name. */
const isPattern = (word: string): boolean => /[*?!]/.test(word)

async function linesOf(file: string): Promise<string[][]> {
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  return text.split('\n').map(wordsOf)
}

/** The files that a word of Include names. ssh reads relative ones from ~/.ssh. */
async function included(word: string, home: string): Promise<string[]> {
  const named = word.replace(/^~(?=\/)/, home)
  const file = path.resolve(home, '.ssh', named)
  const name = path.basename(file)
  if (!/[*?]/.test(name)) return [file]
  const pattern = name
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const folder = path.dirname(file)
  const names = await fs.readdir(folder).catch(() => [])
  return names
    .filter((one) => new RegExp(`^${pattern}$`).test(one))
    .sort()
    .map((one) => path.join(folder, one))
}

/** The hosts that ~/.ssh/config names, without patterns. Include is followed once. */
export async function sshHosts(home = os.homedir()): Promise<string[]> {
  const hosts = new Set<string>()
  const read = async (file: string, follows: boolean): Promise<void> => {
    for (const [keyword, ...words] of await linesOf(file)) {
      if (keyword === 'host') for (const word of words) if (!isPattern(word)) hosts.add(word)
      if (keyword !== 'include' || !follows) continue
      for (const word of words)
        for (const inner of await included(word, home)) await read(inner, false)
    }
  }
  await read(path.join(home, '.ssh', 'config'), true)
  return [...hosts]
}
