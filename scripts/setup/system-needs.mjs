// What Opsmith needs of the system, how to see that it is there, and what the package is called.
import fs from 'node:fs'
import path from 'node:path'

import { ask, findOnPath } from '../lib/command.mjs'
import { findCompilers, forgetCompilers, isUsable, linkerFlag } from './compilers.mjs'
import { needsPythonEnvironment } from './libtorch.mjs'

/**
 * @typedef {object} Need
 * @property {string} name for people
 * @property {() => boolean} present asked each time: what counts is the thing, not the package
 * @property {string[][]} apt packages; each a list of names, of which the first that exists is taken
 * @property {string[]} dnf
 * @property {string[]} pacman
 * @property {boolean} essential set-up cannot go on without it
 * @property {string} [lost] what is missing without it
 */

let libraries
/** Shared libraries that the dynamic linker knows. */
function hasLibrary(name) {
  if (libraries === undefined) {
    const command = ['ldconfig', '/sbin/ldconfig', '/usr/sbin/ldconfig'].find(
      (one) => ask([one, '-p']) !== '',
    )
    libraries = command ? ask([command, '-p'], { maxBuffer: 1 << 26 }) : ''
  }
  return libraries.includes(`\t${name} `)
}

/** After packages were installed: look again. */
export function lookAgain() {
  libraries = undefined
  forgetCompilers()
}

const library = (name, file, apt, dnf, pacman) => ({
  name,
  present: () => hasLibrary(file),
  apt: [apt],
  dnf: [dnf],
  pacman: [pacman],
  essential: true,
})

/** @type {Need[]} */
const windowNeeds = [
  library('GTK 3', 'libgtk-3.so.0', ['libgtk-3-0t64', 'libgtk-3-0'], 'gtk3', 'gtk3'),
  library('NSS', 'libnss3.so', ['libnss3'], 'nss', 'nss'),
  library('ALSA', 'libasound.so.2', ['libasound2t64', 'libasound2'], 'alsa-lib', 'alsa-lib'),
  library('GBM', 'libgbm.so.1', ['libgbm1'], 'mesa-libgbm', 'mesa'),
  library('X screen saver', 'libXss.so.1', ['libxss1'], 'libXScrnSaver', 'libxss'),
]

/** @type {Need} */
const virtualDisplay = {
  name: 'Xvfb',
  present: () => findOnPath('Xvfb') !== '',
  apt: [['xvfb'], ['xauth']],
  dnf: ['xorg-x11-server-Xvfb', 'xorg-x11-xauth'],
  pacman: ['xorg-server-xvfb', 'xorg-xauth'],
  essential: true,
}

const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64'

/** Newest first; the first that the system's lists have is taken. */
const clangVersions = [19, 20, 18, 17, 16]

/** @type {Need[]} */
const compilerNeeds = [
  {
    name: 'clang',
    present: () => findCompilers().some((one) => one.family === 'clang' && isUsable(one)),
    // With its linker: both come from the same version.
    apt: ['clang', 'lld'].map((name) => clangVersions.map((version) => `${name}-${version}`)),
    dnf: ['clang', 'lld'],
    pacman: ['clang', 'lld'],
    essential: false,
    lost: 'g++ works too, but is slower; the compile server, which makes builds after an edit fast, needs clang',
  },
  {
    name: 'lld',
    present: () => {
      const best = findCompilers()[0]
      return best?.family !== 'clang' || linkerFlag(best) !== ''
    },
    apt: [clangVersions.map((version) => `lld-${version}`)],
    dnf: ['lld'],
    pacman: ['lld'],
    essential: false,
    lost: 'linking takes longer with the system linker',
  },
  {
    name: 'a C++20 compiler',
    present: () => findCompilers().some(isUsable),
    apt: [['g++']],
    dnf: ['gcc-c++'],
    pacman: ['gcc'],
    essential: true,
  },
  {
    name: 'CMake',
    present: () => findOnPath('cmake') !== '',
    apt: [['cmake']],
    dnf: ['cmake'],
    pacman: ['cmake'],
    essential: true,
  },
  {
    name: 'ninja',
    present: () => findOnPath('ninja') !== '' || findOnPath('make') !== '',
    apt: [['ninja-build']],
    dnf: ['ninja-build'],
    pacman: ['ninja'],
    essential: true,
  },
]

/** What the compile server is made of: that very clang as a library, with its headers. */
function clangLibraries() {
  return {
    name: "clang's libraries",
    present: () => {
      const best = findCompilers()[0]
      // With g++ alone, clang is about to be installed as well.
      if (best?.family !== 'clang') return false
      // The server is written for this one (electron/engine/compile/hot/clang-libraries.ts).
      if (best.major !== 19) return true
      const include = path.join(path.dirname(fs.realpathSync(best.path)), '..', 'include')
      return ['clang/Frontend/CompilerInstance.h', 'llvm/IR/Module.h'].every((header) =>
        fs.existsSync(path.join(include, header)),
      )
    },
    apt: [['libclang-19-dev'], ['llvm-19-dev']],
    dnf: ['clang-devel', 'llvm-devel'],
    pacman: ['clang', 'llvm'],
    essential: false,
    lost: 'a build after an edit takes a second or more, instead of 0.25 s',
  }
}

/** What -fsanitize=address,undefined links with; of clang it is a package of its own. */
function sanitizers() {
  const best = findCompilers()[0]
  const versions = best?.family === 'clang' ? [best.major] : clangVersions
  return {
    name: "clang's sanitizers",
    present: () => {
      const compiler = findCompilers()[0]
      if (compiler?.family !== 'clang') return false
      return [`libclang_rt.asan-${machine}.so`, 'libclang_rt.asan.so'].some((name) =>
        fs.existsSync(ask([compiler.path, `-print-file-name=${name}`])),
      )
    },
    apt: [versions.map((version) => `libclang-rt-${version}-dev`)],
    dnf: ['compiler-rt'],
    pacman: ['compiler-rt'],
    essential: false,
    lost: 'opsmith check --sanitize works with g++ only',
  }
}

/** @type {Need} */
const pythonEnvironment = {
  name: "Python's venv",
  present: () => ask(['python3', '-c', 'import venv, ensurepip; print(1)']) === '1',
  apt: [['python3-venv'], ['python3-pip']],
  dnf: ['python3', 'python3-pip'],
  pacman: ['python'],
  essential: true,
}

/** @type {Need} */
const openCv = {
  name: 'OpenCV',
  present: () => {
    if (findOnPath('pkg-config') === '') return false
    return ask(['pkg-config', '--modversion', 'opencv4']) !== ''
  },
  apt: [['libopencv-dev'], ['pkg-config']],
  dnf: ['opencv-devel', 'pkgconf-pkg-config'],
  pacman: ['opencv', 'pkgconf'],
  essential: false,
  lost: 'the sample warp_perspective cannot be built',
}

/** The editor's C++; of the compiler's own version, so that both judge alike. @returns {Need} */
function clangd() {
  const best = findCompilers()[0]
  const versions = best?.family === 'clang' ? [best.major, ...clangVersions] : clangVersions
  return {
    name: 'clangd',
    present: () =>
      findOnPath('clangd') !== '' ||
      versions.some((version) => findOnPath(`clangd-${version}`) !== ''),
    apt: [[...new Set(versions)].map((version) => `clangd-${version}`)],
    dnf: ['clang-tools-extra'],
    pacman: ['clang'],
    essential: false,
    lost: 'the editor has no completion, hover, definitions or rename in C++',
  }
}

/** @type {Need} */
const slurm = {
  name: 'Slurm',
  present: () =>
    ['slurmctld', 'slurmd', 'munged'].every(
      (name) => findOnPath(name) !== '' || fs.existsSync(`/usr/sbin/${name}`),
    ),
  apt: [['slurm-wlm'], ['munge']],
  dnf: ['slurm-slurmctld', 'slurm-slurmd', 'munge'],
  pacman: ['slurm-llnl', 'munge'],
  essential: false,
  lost: 'tests of Slurm clusters are skipped',
}

/**
 * For tests of ssh. Where systemd runs, the package would start a server for everybody: there, tests of ssh are skipped
 * unless it is installed.
 * @type {Need}
 */
const sshServer = {
  name: 'sshd',
  present: () => fs.existsSync('/usr/sbin/sshd') || fs.existsSync('/run/systemd/system'),
  apt: [['openssh-server'], ['openssh-client']],
  dnf: ['openssh-server', 'openssh-clients'],
  pacman: ['openssh'],
  essential: false,
  lost: 'tests of ssh are skipped',
}

/** @type {Need} */
const podman = {
  name: 'podman and runc',
  present: () => findOnPath('podman') !== '' && findOnPath('runc') !== '',
  apt: [['podman'], ['runc']],
  dnf: ['podman', 'runc'],
  pacman: ['podman', 'runc'],
  essential: false,
  lost: 'tests of containers are skipped',
}

const clangTool = (tool) => ({
  name: tool,
  present: () => findClangTool(tool) !== '',
  apt: [[`${tool}-19`]],
  dnf: ['clang-tools-extra'],
  pacman: ['clang'],
  essential: false,
  lost: `the ${tool} check is left out`,
})

/** clang-format and clang-tidy of the version that the sources were written with: others judge otherwise. */
export function findClangTool(tool) {
  const named = findOnPath(`${tool}-19`)
  if (named) return named
  const plain = findOnPath(tool)
  return plain && /version 19\./.test(ask([plain, '--version'])) ? plain : ''
}

export function hasDisplay() {
  return Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])
}

/**
 * @param {{ window: boolean, tests: boolean }} context
 * @returns {Need[]}
 */
export function needsFor(context) {
  if (process.platform !== 'linux') return []
  return [
    ...(context.window ? windowNeeds : []),
    ...(context.window && context.tests && !hasDisplay() ? [virtualDisplay] : []),
    ...compilerNeeds,
    clangLibraries(),
    sanitizers(),
    clangd(),
    ...(needsPythonEnvironment(context) ? [pythonEnvironment] : []),
    openCv,
    ...(context.tests
      ? [clangTool('clang-format'), clangTool('clang-tidy'), slurm, sshServer, podman]
      : []),
  ]
}

/** "debian", "fedora", … as the system calls itself, for messages. */
export function systemName() {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(fs.readFileSync('/etc/os-release', 'utf8'))?.[1] ?? ''
  } catch {
    return process.platform
  }
}
