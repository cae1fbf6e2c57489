// The .deb and the tar.gz of the app's folder, made by the system's own tools.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

import { ask, runCommand } from '../lib/command.mjs'
import { listFiles, makeTemporaryFolder } from '../lib/files.mjs'
import { root } from '../lib/paths.mjs'
import { changesOf } from '../release/checks.mjs'

const parts = path.join(root, 'scripts', 'package', 'debian')
const architectures = { x64: 'amd64', arm64: 'arm64' }

/** What Electron's executable is linked with or loads; the second name is that of older releases. */
const dependencies = [
  'libasound2t64 | libasound2',
  'libatk-bridge2.0-0t64 | libatk-bridge2.0-0',
  'libatspi2.0-0t64 | libatspi2.0-0',
  'libcups2t64 | libcups2',
  'libdrm2',
  'libgbm1',
  'libgtk-3-0t64 | libgtk-3-0',
  'libnss3',
  'libxcomposite1',
  'libxdamage1',
  'libxkbcommon0',
  'libxrandr2',
]

/** What operators are built with: another compiler of the machine does as well. */
const recommended = ['clang-19 | clang', 'lld-19 | lld', 'cmake', 'ninja-build', 'python3-venv']

const maintainer = 'Opsmith contributors <opsmith@users.noreply.github.com>'

function sizeOf(folder) {
  const names = listFiles(folder)
  return names.reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0)
}

function controlOf({ version, description }, tree) {
  return `Package: opsmith
Version: ${version}
Section: devel
Priority: optional
Architecture: ${architectures[process.arch]}
Maintainer: ${maintainer}
Installed-Size: ${Math.ceil(sizeOf(tree) / 1024)}
Depends: ${dependencies.join(', ')}
Recommends: ${recommended.join(', ')}
Description: workbench for PyTorch operators in C++ and CUDA
 ${description}
 .
 The window opens from the desktop; the command line is opsmith.
`
}

/** The licences of all that is in the package, where Debian's tools look for them. */
function copyrightOf(app) {
  const read = (name) => fs.readFileSync(path.join(app, name), 'utf8').trim()
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `${[
    `Opsmith\n\n${read('LICENSE')}`,
    `Electron\n\n${read('LICENSE.electron.txt')}`,
    'The licences of Chromium and of what it contains: /opt/Opsmith/LICENSES.chromium.html',
    read('THIRD-PARTY-NOTICES.txt'),
  ].join(line)}\n`
}

/** The entries of a version in CHANGELOG.md; those that have no version yet count for the next. */
function entriesOf(version) {
  const text = fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  return (changesOf(text, version) || changesOf(text, 'Unreleased'))
    .split('\n')
    .filter((line) => /^(- | {2}\S)/.test(line))
    .map((line) => `  ${line.replace(/^- /, '* ')}\n`)
    .join('')
}

/** When the last commit was made, in seconds: the same sources give the same files. */
export function commitTime() {
  return (
    Number(ask(['git', '-C', root, 'log', '-1', '--format=%ct'])) || Math.floor(Date.now() / 1000)
  )
}

/** Debian's form of the change log. */
function debianChangelog(version) {
  const date = new Date(commitTime() * 1000).toUTCString().replace('GMT', '+0000')
  return `opsmith (${version}) unstable; urgency=medium\n\n${entriesOf(version)}\n -- ${maintainer}  ${date}\n`
}

/** What `dpkg --verify` compares with. */
function writeSums(tree) {
  const names = listFiles(tree, (name) => name === 'DEBIAN')
  const lines = names.map((name) => {
    const bytes = fs.readFileSync(path.join(tree, name))
    return `${createHash('md5').update(bytes).digest('hex')}  ${name}\n`
  })
  fs.writeFileSync(path.join(tree, 'DEBIAN', 'md5sums'), lines.join(''), { mode: 0o644 })
}

function place(file, tree, target, mode = 0o644) {
  const to = path.join(tree, target)
  fs.mkdirSync(path.dirname(to), { recursive: true })
  fs.copyFileSync(file, to)
  fs.chmodSync(to, mode)
}

function fillTree(app, tree, version) {
  // makeTemporaryFolder obeys the umask; folders of a package are open to all.
  fs.chmodSync(tree, 0o755)
  fs.mkdirSync(path.join(tree, 'opt'))
  fs.cpSync(app, path.join(tree, 'opt', 'Opsmith'), { recursive: true, verbatimSymlinks: true })
  const helper = path.join(tree, 'opt', 'Opsmith', 'chrome-sandbox')
  // Chromium's sandbox where a system forbids user namespaces to ordinary users.
  if (fs.existsSync(helper)) fs.chmodSync(helper, 0o4755)
  fs.mkdirSync(path.join(tree, 'usr', 'bin'), { recursive: true })
  fs.symlinkSync('../../opt/Opsmith/bin/opsmith', path.join(tree, 'usr', 'bin', 'opsmith'))
  const part = (name, target, mode) => place(path.join(parts, name), tree, target, mode)
  part('opsmith.desktop', 'usr/share/applications/opsmith.desktop')
  part('opsmith.xml', 'usr/share/mime/packages/opsmith.xml')
  part('opsmith.svg', 'usr/share/icons/hicolor/scalable/apps/opsmith.svg')
  part('apparmor-profile', 'opt/Opsmith/resources/apparmor-profile')
  const copyright = path.join(tree, 'usr', 'share', 'doc', 'opsmith', 'copyright')
  fs.mkdirSync(path.dirname(copyright), { recursive: true })
  fs.writeFileSync(copyright, copyrightOf(app), { mode: 0o644 })
  const changelog = path.join(path.dirname(copyright), 'changelog.Debian.gz')
  fs.writeFileSync(changelog, gzipSync(debianChangelog(version), { level: 9 }), { mode: 0o644 })
  part('postinst', 'DEBIAN/postinst', 0o755)
  part('postrm', 'DEBIAN/postrm', 0o755)
}

/** @returns {Promise<string>} the .deb */
export async function makeDeb(app, description) {
  const file = path.join(
    root,
    'release',
    `opsmith_${description.version}_${architectures[process.arch]}.deb`,
  )
  const tree = makeTemporaryFolder(path.join(root, 'release', 'deb'))
  try {
    fillTree(app, tree, description.version)
    const control = path.join(tree, 'DEBIAN', 'control')
    fs.writeFileSync(control, controlOf(description, tree), { mode: 0o644 })
    writeSums(tree)
    await runCommand(['dpkg-deb', '--root-owner-group', '-Zxz', '--build', tree, file], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(commitTime()) },
    })
  } finally {
    fs.rmSync(tree, { recursive: true, force: true })
  }
  return file
}

/** @returns {Promise<string>} the tar.gz of a folder, which unpacks as one with the name of the archive */
export async function makeTar(folder, { name, version }) {
  const title = `${name}-${version}-linux-${process.arch}`
  const file = path.join(root, 'release', `${title}.tar.gz`)
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
  const words = [...owner, `--mtime=@${commitTime()}`, `--transform=s,^\\.,${title},S`]
  await runCommand(['tar', '-czf', file, ...words, '-C', folder, '.'])
  return file
}
