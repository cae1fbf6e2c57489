import type { Configuration } from 'electron-builder'
/**
 * How Opsmith is packed: `npm run package` (electron-builder reads this file). The bundles in dist/
 * hold every npm package they use, so no node_modules travels along.
 */
declare const configuration: Configuration
export default configuration
