// What the scripts of a clone use too: scripts/setup/engine-setup.mjs loads it.
export { chooseCompiler } from '../toolchain/choose'
export { describeLibtorch } from '../toolchain/libtorch'
export { compilerVariables } from '../toolchain/run-compiler'
export { chooseTorch } from './cuda-torch'
export { installTorch } from './install-torch'
export { buildAddon, configureAddon, findBuiltAddon } from './native-addon'
export { batchText, makeBatches } from './native-batches'
