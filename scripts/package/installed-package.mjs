// A .deb installed in a root of its own, and an ordinary user who works with it.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { ask, findOnPath, runCommand } from '../lib/command.mjs'
import { listFiles, readJson } from '../lib/files.mjs'
import { environmentVariables } from '../setup/environment.mjs'

const isRoot = process.getuid?.() === 0
/** "nobody" of most systems. */
const nobody = 65534
/** Words before a command that the user runs. */
export const asUser = isRoot
  ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
  : []

/** Why a package cannot be tried out here; "" where it can. */
export function installationProblem() {
  if (process.platform !== 'linux') return 'this is not Linux'
  if (findOnPath('dpkg') === '') return 'there is no dpkg'
  if (isRoot && findOnPath('setpriv') === '')
    return 'setpriv, which runs a command as another user, is not installed'
  return ''
}

/** Why Chromium's sandbox cannot be had by an ordinary user; "" where it can. */
export function sandboxHindrance() {
  return ask([...asUser, 'unshare', '--user', 'echo', 'yes']) === 'yes'
    ? ''
    : 'ordinary users cannot make user namespaces on this machine'
}

/** One root with one package, and the home of its user. */
export class InstalledPackage {
  constructor() {
    // Short, and open to all: the user is another one.
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-package-'))
    fs.chmodSync(this.folder, 0o755)
    this.prefix = path.join(this.folder, 'root')
    this.home = path.join(this.folder, 'home')
    this.temporary = path.join(this.folder, 'tmp')
    for (const folder of [this.home, this.temporary]) {
      fs.mkdirSync(folder)
      if (isRoot) fs.chownSync(folder, nobody, nobody)
    }
    this.pipSettings = path.join(this.folder, 'pip.conf')
    const own = path.join(os.homedir(), '.config', 'pip', 'pip.conf')
    if (fs.existsSync(own)) fs.copyFileSync(own, this.pipSettings)
    fs.mkdirSync(path.join(this.prefix, 'var', 'lib', 'dpkg', 'updates'), { recursive: true })
    for (const folder of ['info', 'triggers'])
      fs.mkdirSync(path.join(this.prefix, 'var', 'lib', 'dpkg', folder))
    for (const file of ['status', 'available'])
      fs.writeFileSync(path.join(this.prefix, 'var', 'lib', 'dpkg', file), '')
  }

  async dpkg(...words) {
    const flags = [`--root=${this.prefix}`, '--force-depends', '--force-script-chrootless']
    if (!isRoot) flags.push('--force-not-root')
    const command = ['dpkg', ...flags, ...words]
    return (await runCommand(command, { timeoutSeconds: 300 })).output.trim()
  }

  /** Files of the root that dpkg does not keep for itself. */
  files() {
    return listFiles(this.prefix).filter((name) => !name.startsWith('var/'))
  }

  /** What the user has in the end, two folders deep. */
  userFiles() {
    return [this.home, this.temporary].flatMap((folder) =>
      fs.readdirSync(folder).flatMap((name) => {
        const place = path.join(folder, name)
        const below = fs.statSync(place).isDirectory() ? fs.readdirSync(place) : []
        return below.length === 0
          ? [path.relative(this.folder, place)]
          : below.map((one) => path.relative(this.folder, path.join(place, one)))
      }),
    )
  }

  get executable() {
    return path.join(this.prefix, 'opt', 'Opsmith', 'opsmith')
  }

  /** Nothing of the clone, and nothing of whoever runs the test but how pip reaches an index. */
  get environment() {
    const network = Object.entries(process.env).filter(([name]) =>
      /^(PIP_|SSL_CERT_|REQUESTS_CA_|(https?|no)_proxy$)/i.test(name),
    )
    return {
      ...Object.fromEntries(network),
      ...(fs.existsSync(this.pipSettings) ? { PIP_CONFIG_FILE: this.pipSettings } : {}),
      HOME: this.home,
      TMPDIR: this.temporary,
      LANG: 'C.UTF-8',
      PATH: `${path.join(this.prefix, 'usr', 'bin')}:/usr/local/bin:/usr/bin:/bin`,
    }
  }

  /** The package's own command line, as the user. */
  async opsmith(...words) {
    const { output } = await runCommand([...asUser, 'opsmith', ...words], {
      cwd: this.home,
      env: this.environment,
      timeoutSeconds: 1800,
    })
    return output
  }

  /** A copy that belongs to the user, in their home. @returns {Promise<string>} */
  async copyToHome(source, name = path.basename(source)) {
    const target = path.join(this.home, name)
    await runCommand([...asUser, 'cp', '-r', source, target], { env: this.environment })
    return target
  }

  /** What set-up has noted; empty before it. @returns {{ libtorch?: string, python?: string }} */
  readEnvironment() {
    const folder = path.join(this.home, '.cache', 'opsmith', 'setup')
    const [version = ''] = fs.existsSync(folder) ? fs.readdirSync(folder) : []
    return readJson(path.join(folder, version, 'environment.json')) ?? {}
  }

  /** The folder of the libtorch that is set up; before that a copy of the clone's, "" if it has none. */
  async libtorch() {
    const own = this.readEnvironment().libtorch
    if (own !== undefined) return own
    const folder = environmentVariables()['OPSMITH_LIBTORCH']
    if (!folder) return ''
    // An ordinary user may not be able to read the clone.
    const copy = path.join(this.folder, 'libtorch')
    fs.mkdirSync(copy)
    const parts = ['lib', 'include', 'share', 'version.py'].filter((name) =>
      fs.existsSync(path.join(folder, name)),
    )
    for (const name of parts)
      await runCommand(['cp', '-r', '--reflink=auto', path.join(folder, name), copy])
    await runCommand(['chmod', '-R', 'a+rX', copy])
    return copy
  }

  /** Starts the window, as the user. */
  startWindow(words, display) {
    const command = [...asUser, this.executable, ...words]
    return spawn(command[0] ?? '', command.slice(1), {
      cwd: this.home,
      env: { ...this.environment, DISPLAY: display },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
  }

  /** Processes whose program or command line is of this package: ID and command line. */
  processes() {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          const text = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
          return { pid: Number(pid), command: text.split('\0').join(' ') }
        } catch {
          return { pid: Number(pid), command: '' }
        }
      })
      .filter(({ command }) => command.includes(this.prefix))
  }

  remove() {
    fs.rmSync(this.folder, { recursive: true, force: true })
  }
}
