// The .deb where nothing is installed but what it names.
import { expectText } from './steps.mjs'

/**
 * Its dependencies, the words where tools are missing, removal.
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./clean-debian.mjs').CleanDebian} debian
 * @param {string} deb
 */
export async function tryInCleanDebian(steps, debian, deb) {
  const step = steps.step.bind(steps)
  await step('apt-get install in a clean system', () => debian.install(deb))
  await step('run the command line in the clean system as a non-root user', async () =>
    expectText(await debian.run(['opsmith', '--version'], { asUser: true }), /^\d/),
  )
  await step('every library that the window needs is installed', async () => {
    const linked = await debian.run(['ldd', '/opt/Opsmith/opsmith'])
    if (linked.includes('not found')) throw new Error(linked)
  })
  await step('set-up names the command that installs what is missing', async () => {
    const words = ['opsmith', 'setup', '--yes']
    const text = await debian.run(words, { asUser: true, accept: [2] })
    return expectText(text, /apt-get install -y .*cmake/)
  })
  await step('apt-get purge leaves nothing', async () => {
    await debian.run(['apt-get', 'purge', '-y', '-q', 'opsmith'])
    const left = await debian.leftovers()
    if (left !== '') throw new Error(left)
  })
}
