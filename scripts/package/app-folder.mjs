// The app with its Electron as a folder that runs from anywhere: both archives are made of it.
import fs from 'node:fs'
import path from 'node:path'

import { resolveElectron } from '../setup/electron-runtime.mjs'
import { loadTypeScript } from '../lib/load-typescript.mjs'
import { root } from '../lib/paths.mjs'
import { fusesOf } from './fuses.mjs'
import { copyAddonHeaders, setModes } from './shared-parts.mjs'

/** Runs the bundled command line by the Electron of the package, as Node. */
const commandScript = `#!/bin/sh
# The command line of Opsmith. Electron runs it as Node.
here=$(dirname "$(readlink -f "$0")")/..
ELECTRON_RUN_AS_NODE=1 exec "$here/opsmith" "$here/resources/app.asar.unpacked/dist/cli.cjs" "$@"
`

/** @returns {Promise<string>} the folder */
export async function makeAppFolder(say) {
  const electron = resolveElectron()
  if (!electron) throw new Error('Electron was not found: run npm run setup')
  const { default: configuration } = await loadTypeScript('electron-builder.config.ts')
  const { fuses, leftOut } = fusesOf(configuration.electronFuses, electron.version)
  say(`Electron ${electron.version || 'of unknown version'}, ${electron.origin}`)
  if (leftOut.length > 0)
    say(
      `Electron fuses that are not set, because this version of Electron does not have them: ${leftOut.join(', ')}`,
    )
  const { build, Platform } = await import('electron-builder')
  await build({
    projectDir: root,
    targets: Platform.LINUX.createTarget('dir'),
    config: {
      ...configuration,
      electronFuses: fuses,
      electronDist: path.dirname(electron.executable),
      ...(electron.version ? { electronVersion: electron.version } : {}),
    },
  })
  const name = process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`
  const folder = path.join(root, 'release', name)
  const resources = path.join(folder, 'resources')
  // The app of the runtime that set-up got, and where that one looked for updates; Opsmith is in app.asar.
  for (const name of ['app', 'app-update.yml'])
    fs.rmSync(path.join(resources, name), { recursive: true, force: true })
  await copyAddonHeaders(path.join(resources, 'app.asar.unpacked'))
  fs.mkdirSync(path.join(folder, 'bin'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'bin', 'opsmith'), commandScript, { mode: 0o755 })
  for (const file of ['LICENSE', path.join('dist', 'THIRD-PARTY-NOTICES.txt')])
    fs.copyFileSync(path.join(root, file), path.join(folder, path.basename(file)))
  // electron-builder renames Electron's own licence; a runtime from elsewhere may have none.
  fs.copyFileSync(
    path.join(root, 'node_modules', 'electron', 'LICENSE'),
    path.join(folder, 'LICENSE.electron.txt'),
  )
  setModes(folder)
  return folder
}
