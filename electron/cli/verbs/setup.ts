import { isClone, setupCommand } from '../../engine/installation'
import type { SetupStep } from '../../contract/setup'
import type { Workbench } from '../../engine/workbench'
import { ask } from '../ask'
import { exitCodes } from '../exit-codes'
import { interruptSignal } from '../interrupt'
import { flag, jsonFlag, text } from '../options'
import type { OptionValues } from '../options'
import { callerPath, printError, printJson, printLines, progress } from '../print'
import { defineVerb, refuse } from '../verb'

const verbOptions = {
  libtorch: text('<folder>', 'the libtorch to use: the folder with include/ and lib/'),
  cuda: flag('install torch for CUDA, if no libtorch is found and nvidia-smi lists a GPU'),
  yes: flag('install torch without asking, if no libtorch is found'),
  json: jsonFlag,
}

function stepLine({ name, isMade, seconds, bytes, detail }: SetupStep): string {
  const size = bytes === 0 ? '' : `${(bytes / 1e6).toFixed(1)} MB`
  const state = isMade ? 'done' : 'already done'
  const words = [detail, size].filter((word) => word !== '').join(', ')
  return `${name.padEnd(20)} ${state.padEnd(14)} ${seconds.toFixed(1).padStart(6)} s  ${words}`
}

async function runSetup(
  workbench: Workbench,
  _target: string,
  options: OptionValues<typeof verbOptions>,
): Promise<number> {
  const { libtorch, cuda, yes, json } = options
  const { root } = workbench.installation
  if (isClone(root)) {
    const named = libtorch === undefined ? '' : callerPath(libtorch)
    return refuse(
      'opsmith setup sets up an installed package, but this Opsmith is a clone of the repository.',
      json,
      `Run \`${setupCommand(root, named)}\`.`,
    )
  }
  const result = await workbench.setup.run({
    libtorch: libtorch === undefined ? '' : callerPath(libtorch),
    cuda,
    ask: async (question) => (yes || json ? undefined : await ask(question)),
    mayInstall: async (question) => yes || (!json && (await ask(question)) === true),
    signal: interruptSignal(),
    onStart: (what) => {
      progress(`${what} …`)
    },
    onStep: (step) => {
      if (json) progress(stepLine(step))
      else printLines([stepLine(step)])
    },
    onRemark: (remark) => {
      progress(`note: ${remark}`)
    },
  })
  if (!result.ok) {
    const { detail } = result.error
    if (detail !== undefined) progress(detail)
    return printError(result.error, json)
  }
  if (json) printJson({ ok: true, ...result.value })
  else progress('This machine can build and run operators. Next: opsmith new my_op')
  return exitCodes.good
}

export const verb = defineVerb({
  name: 'setup',
  order: 14.5,
  description:
    'make an installed Opsmith ready: find or install libtorch, compile the native addon',
  options: verbOptions,
  notes: [
    'Set-up looks for libtorch in the settings, in the Pythons on PATH, at $LIBTORCH, and in the conda and venv environments\nof this machine. If there is no libtorch, set-up offers to install torch into the cache folder (usually\n~/.cache/opsmith), for CUDA if nvidia-smi lists a GPU. Set-up writes only to the cache folder. If you stop set-up, run\nit again: it continues at the same step.',
  ],
  run: runSetup,
})
