import fs from 'node:fs/promises'

import type { Places } from '../places'
import { canReadLayout, layoutFile } from './layout-file'
import { readStoredSettings, settingsFile } from './settings-file'
import { canReadTrust, trustFile } from './trust'

/** Such a file is copied before it is written over: see writeOver(). */
function sentence(file: string, use: string): string {
  return `Opsmith cannot read ${file}. A newer version may have written it. ${use} The file is kept.`
}

/** What this version cannot read of what the user chose, a sentence for each file; [] where it reads all. */
export async function unreadFiles({
  configFolder,
  dataFolder,
  stateFolder,
}: Places): Promise<string[]> {
  const sentences: string[] = []
  const { unread, broken } = await readStoredSettings(configFolder)
  const file = settingsFile(configFolder)
  const names = Object.keys(unread)
  if (broken !== '') sentences.push(sentence(file, 'The default settings are used.'))
  if (names.length > 0) {
    const what = names.length === 1 ? 'the value of' : 'the values of'
    sentences.push(
      `Opsmith cannot read ${what} ${names.join(', ')} in ${file}. A newer version may have written this. The defaults are used, and the file is kept.`,
    )
  }
  const others = [
    { file: trustFile(dataFolder), canRead: canReadTrust, use: 'No folder is trusted.' },
    { file: layoutFile(stateFolder), canRead: canReadLayout, use: 'The usual layout is shown.' },
  ]
  for (const other of others) {
    const text = await fs.readFile(other.file, 'utf8').catch(() => '')
    if (text !== '' && !other.canRead(text)) sentences.push(sentence(other.file, other.use))
  }
  return sentences
}
