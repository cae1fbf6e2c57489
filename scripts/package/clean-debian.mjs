// A Debian or Ubuntu of its own, as small as debootstrap makes it: what a package depends on and does not name is missing.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { findOnPath, runCommand } from '../lib/command.mjs'

const nobody = 65534

/** The user's home within the root that is made; not a folder of this machine. */
const homeInside = path.join('/tmp', 'user')

/** Why there can be none here; "" where there can. */
export function cleanDebianProblem() {
  if (process.getuid?.() !== 0) return 'only root can make a clean Debian system'
  if (findOnPath('debootstrap') === '')
    return 'debootstrap is not installed: run apt-get install debootstrap'
  return ''
}

/** How pip reaches an index from this machine: variables, some of which name a file or a folder. */
const pipVariables = () =>
  Object.entries(process.env).filter(([name]) =>
    /^(PIP_|SSL_CERT_FILE$|(https?|no)_proxy$)/i.test(name),
  )

export class CleanDebian {
  constructor() {
    /** Of each command that is run in it. */
    this.variables = {
      ...Object.fromEntries(pipVariables()),
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: homeInside,
      DEBIAN_FRONTEND: 'noninteractive',
      LC_ALL: 'C',
    }
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-debian-'))
    fs.chmodSync(this.folder, 0o755)
  }

  /** The same release as this machine's. Needs the archive of that release. */
  async make() {
    const system = fs.readFileSync('/etc/os-release', 'utf8')
    const release = /^VERSION_CODENAME=(\S+)/m.exec(system)?.[1] ?? 'stable'
    await runCommand(['debootstrap', '--variant=minbase', release, this.folder], {
      timeoutSeconds: 900,
    })
    // How this machine reaches the archive.
    const settings = '/etc/apt/apt.conf.d'
    for (const name of fs.readdirSync(settings).filter((one) => one.includes('proxy')))
      fs.copyFileSync(path.join(settings, name), path.join(this.folder, settings, name))
    return release
  }

  /** Makes another one as this one is now. @param {CleanDebian} other */
  async copyTo(other) {
    await runCommand(['cp', '-a', '--reflink=auto', `${this.folder}/.`, other.folder])
  }

  /**
   * Makes what pip's variables name: folders are seen in it while a command runs.
   * @returns {string[]} commands of a shell, whose $0 is the folder
   */
  pipMounts() {
    const named = pipVariables().filter(([, value]) => value?.startsWith('/'))
    const existing = named.map(([, value]) => value ?? '').filter((place) => fs.existsSync(place))
    const isFolder = (place) => fs.statSync(place).isDirectory()
    for (const place of existing) {
      const inside = path.join(this.folder, place)
      fs.mkdirSync(isFolder(place) ? inside : path.dirname(inside), { recursive: true })
      if (!isFolder(place)) fs.copyFileSync(place, inside)
    }
    return existing.filter(isFolder).map((place) => `mount --bind "${place}" "$0${place}" && `)
  }

  /** Runs a command in it, with /proc, which the dynamic linker reads; the mounts end with the command. */
  async run(command, { asUser = false, accept = [0], variables = {} } = {}) {
    const user = asUser ? [`--userspec=${nobody}:${nobody}`] : []
    const mounts = `mount -t proc proc "$0/proc" && ${this.pipMounts().join('')}`
    const mounted = ['sh', '-c', `${mounts}exec "$@"`, this.folder]
    const inside = ['chroot', ...user, this.folder, ...command]
    const { output } = await runCommand(['unshare', '--mount', ...mounted, ...inside], {
      timeoutSeconds: 900,
      accept,
      env: { ...this.variables, ...variables },
    })
    return output.trim()
  }

  async install(deb) {
    const inside = path.join('/tmp', path.basename(deb))
    fs.copyFileSync(deb, path.join(this.folder, inside))
    const options = ['-y', '-q', '--no-install-recommends']
    await this.run(['apt-get', 'install', ...options, inside])
    fs.rmSync(path.join(this.folder, inside))
  }

  /** Files and folders of the package; the user's home is not looked at. */
  async leftovers() {
    const skip = ['(', '-path', '/proc', '-o', '-path', homeInside, ')', '-prune', '-o']
    return await this.run(['find', '/', ...skip, '-iname', '*opsmith*', '-print'])
  }

  remove() {
    fs.rmSync(this.folder, { recursive: true, force: true })
  }
}
