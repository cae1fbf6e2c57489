import { setFlagsFromString } from 'node:v8'

/**
 * V8 compiles the whole grammar (4 MB) when it is loaded, and its lexer a second time, optimised, after some
 * kilobytes of text. That takes most of a second of CPU time, and reading a few sources takes milliseconds either way.
 * So functions are compiled when they are first called, by the fast compiler alone.
 */
const wasmFlags = ['--wasm-lazy-compilation', '--liftoff-only']

/** V8 takes compiled code from a cache only under the flags that it was made with: electron/start sets them too. */
export function setWasmFlags(): void {
  for (const flag of wasmFlags) setFlagsFromString(flag)
}
