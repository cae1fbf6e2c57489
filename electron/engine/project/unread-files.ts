import fs from 'node:fs/promises'

import type { Places } from '../places'
import { canReadLayout, layoutFile } from './layout-file'
import { readStoredSettings, settingsFile } from './settings-file'
import { canReadTrust, trustFile } from './trust'

/** Such a file is copied before it is written over: see writeOver(). */
function sentence(file: string, use: string): string {
  return `Opsmith cannot read ${file}. A newer version of Opsmith may have written the file. ${use} Before Opsmith writes the file again, it keeps a copy next to the file.`
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
  if (broken !== '') sentences.push(sentence(file, 'Opsmith uses the default settings.'))
  if (names.length > 0) {
    const what = names.length === 1 ? 'the setting' : 'the settings'
    sentences.push(
      `Opsmith cannot read ${what} ${names.join(', ')} in ${file}. A newer version of Opsmith may have written the file. Opsmith uses the default values, and keeps in the file what it cannot read.`,
    )
  }
  const others = [
    {
      file: trustFile(dataFolder),
      canRead: canReadTrust,
      use: 'Opsmith trusts no folder until you decide again.',
    },
    {
      file: layoutFile(stateFolder),
      canRead: canReadLayout,
      use: 'Opsmith shows the default layout.',
    },
  ]
  for (const other of others) {
    const text = await fs.readFile(other.file, 'utf8').catch(() => '')
    if (text !== '' && !other.canRead(text)) sentences.push(sentence(other.file, other.use))
  }
  return sentences
}
