import { buildBundles, bundles, outdatedBundles } from '../build.mjs'
import { SetupFailure } from '../lib/steps.mjs'
import { npmDependencies } from './npm-dependencies.mjs'

const wanted = (context) => context.bundles ?? (context.window ? bundles : ['host', 'cli'])

/** @type {import('../lib/steps.mjs').Step} */
export const appBundles = {
  title: 'app bundles',
  needsOnly: npmDependencies,
  check(context) {
    return outdatedBundles(wanted(context)).length === 0 ? '' : undefined
  },
  async make(context) {
    try {
      return (await buildBundles(wanted(context))).join(', ')
    } catch (error) {
      throw new SetupFailure(`The app did not build:\n${error.message}`)
    }
  },
}
