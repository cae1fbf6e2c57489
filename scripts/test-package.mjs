// `npm run test:package [-- --made] [--libtorch FOLDER] [PART …]` makes the packages and works with them: the .deb in a
// clean system, the .deb as an ordinary user has it (set-up, a sample, the window, removal), the command line alone, and
// the recipes of docs/how-to/ci.md. With --libtorch, the user also sets up that libtorch. With --made, the packages of the
// last `npm run package` are tested.
import path from 'node:path'
import { parseArgs } from 'node:util'

import { runCommand } from './lib/command.mjs'
import { readJson } from './lib/files.mjs'
import { root } from './lib/paths.mjs'
import { refuse } from './lib/refuse.mjs'
import { CleanDebian, cleanDebianProblem } from './package/clean-debian.mjs'
import { InstalledPackage, installationProblem } from './package/installed-package.mjs'
import { counts, Steps } from './package/steps.mjs'
import { tryInCleanDebian } from './package/try-clean-debian.mjs'
import { tryCommandLine, tryOtherLibtorch } from './package/try-command-line.mjs'
import { tryInstalled, tryRemoval } from './package/try-installed.mjs'
import { tryActions, tryContainer } from './package/try-recipes.mjs'
import { environmentVariables } from './setup/environment.mjs'

const parts = ['clean', 'container', 'installed', 'command-line', 'actions']
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { made: { type: 'boolean', default: false }, libtorch: { type: 'string', default: '' } },
})
const unknown = positionals.filter((name) => !parts.includes(name))
if (unknown.length > 0)
  refuse(`unknown part ${unknown.join(', ')}: the parts are ${parts.join(', ')}`)
const isWanted = (name) => positionals.length === 0 || positionals.includes(name)

const impossible = installationProblem()
if (impossible) refuse(`This machine cannot try the package: ${impossible}.`)
const { version } = readJson(path.join(root, 'package.json'))
const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch]
const release = path.join(root, 'release')
const deb = path.join(release, `opsmith_${version}_${architecture}.deb`)
const tar = path.join(release, `opsmith-cli-${version}-linux-${process.arch}.tar.gz`)
const project = path.join(root, 'samples', 'my_op')
/** The folder of the clone's Python, which has torch. */
const python = path.dirname(environmentVariables()['OPSMITH_PYTHON'] ?? '')

/** The .deb, then the recipe of a container, each in a system that has had nothing installed. */
async function inCleanSystems() {
  const problem = cleanDebianProblem()
  const first = new Steps(problem)
  const debian = new CleanDebian()
  const other = new CleanDebian()
  try {
    await first.step('make a clean system', () => debian.make(), {
      needed: true,
      downloads: true,
    })
    const second = new Steps(first.hindrance)
    if (isWanted('container') && second.hindrance === '') await debian.copyTo(other)
    if (isWanted('clean')) await tryInCleanDebian(first, debian, deb)
    if (isWanted('container')) await tryContainer(second, other, { tar, project, python })
  } finally {
    debian.remove()
    other.remove()
  }
}

/** The .deb in a folder, and the command line alone, with the same user. */
async function asOrdinaryUser() {
  const installed = new InstalledPackage()
  try {
    const steps = new Steps()
    if (isWanted('installed')) await tryInstalled(steps, installed, deb)
    if (isWanted('command-line')) await tryCommandLine(new Steps(), installed, tar)
    const own = installed.readEnvironment().python
    if (values.libtorch !== '') {
      const libtorch = path.resolve(values.libtorch)
      await tryOtherLibtorch(new Steps(), installed, { tar, libtorch })
    }
    if (isWanted('actions')) {
      const context = { tar, project, python: own ? path.dirname(own) : python, other: python }
      await tryActions(new Steps(), installed, context)
    }
    if (isWanted('installed')) await tryRemoval(steps, installed)
  } finally {
    installed.remove()
  }
}

const started = performance.now()
const making = new Steps()
if (!values.made) {
  await making.step(
    'npm run package',
    async () => {
      await runCommand([process.execPath, path.join(root, 'scripts', 'package.mjs')], { cwd: root })
    },
    { needed: true },
  )
}
if (making.hindrance === '') {
  if (isWanted('clean') || isWanted('container')) await inCleanSystems()
  if (parts.slice(2).some(isWanted) || values.libtorch !== '') await asOrdinaryUser()
}
const minutes = ((performance.now() - started) / 60_000).toFixed(1)
console.log(
  `\n${counts.good} good, ${counts.failed} failed, ${counts.skipped} skipped, in ${minutes} min`,
)
process.exitCode = counts.failed > 0 ? 1 : 0
