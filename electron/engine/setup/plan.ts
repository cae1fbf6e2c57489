import fs from 'node:fs'
import path from 'node:path'

import type { SetupLibtorch, SetupPlan } from '../../contract/setup'
import { readSetupEnvironment } from '../installation'
import type { Installation } from '../installation'
import type { Projects } from '../project/open-project'
import { findAddon } from '../toolchain/addon-location'
import { chooseToolchain, chosenTools } from '../toolchain/choose'
import { describeLibtorch } from '../toolchain/libtorch'
import type { Libtorch } from '../toolchain/libtorch'
import { allLibtorchs } from '../toolchain/libtorch-places'
import { findCudaTorch } from './cuda-torch'
import { torchVersion } from './install-torch'
import { missingNeeds } from './system-needs'

/** Where set-up installs torch. */
export function ownTorchFolder(cacheFolder: string): string {
  return path.join(cacheFolder, 'libtorch', torchVersion)
}

function freeBytes(folder: string): number {
  let place = folder
  while (!fs.existsSync(place) && place !== path.dirname(place)) place = path.dirname(place)
  const { bavail, bsize } = fs.statfsSync(place)
  return bavail * bsize
}

/** What set-up would find and make now. Nothing is written. */
export async function planSetup({
  installation,
  projects,
}: {
  installation: Installation
  projects: Projects
}): Promise<SetupPlan> {
  const settings = await projects.settings()
  const setup = readSetupEnvironment(installation.root, installation.cacheFolder)
  const toolchain = await chooseToolchain(installation, chosenTools(settings, undefined))
  const used = toolchain.ok ? toolchain.value.libtorch : undefined
  const hasAddon = (libtorch: Libtorch): boolean => findAddon(installation, libtorch).ok
  const described = (libtorch: Libtorch): SetupLibtorch => ({
    folder: libtorch.folder,
    version: libtorch.version,
    origin: libtorch.origin,
    isUsable: libtorch.judgement !== 'unusable',
    why: libtorch.why,
    hasAddon: hasAddon(libtorch),
    isChosen: libtorch.identity === used?.identity,
  })
  const [found, missing, missingForTorch, cuda] = await Promise.all([
    allLibtorchs({ chosen: settings.libtorch, setup: setup.libtorch ?? '' }),
    missingNeeds(false),
    missingNeeds(true),
    findCudaTorch(),
  ])
  return {
    isReady: used !== undefined && hasAddon(used),
    libtorchs: found.map(described),
    missing,
    install: {
      version: torchVersion,
      folder: ownTorchFolder(installation.cacheFolder),
      cuda: cuda ?? null,
      missing: missingForTorch,
    },
    freeBytes: freeBytes(installation.cacheFolder),
  }
}

/** The folder of libtorch in one that a user names: itself, an archive's `libtorch`, or an environment of Python. */
export function libtorchIn(folder: string): string | undefined {
  const lib = path.join(folder, 'lib')
  const pythons = fs.existsSync(lib)
    ? fs.readdirSync(lib).filter((name) => name.startsWith('python3'))
    : []
  const places = [
    folder,
    path.join(folder, 'libtorch'),
    path.join(folder, 'torch'),
    ...pythons.map((name) => path.join(lib, name, 'site-packages', 'torch')),
  ]
  return places.find((place) => describeLibtorch(place, 'chosen') !== undefined)
}
