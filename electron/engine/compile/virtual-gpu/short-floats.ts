/**
 * CUDA's 16-bit floating-point types. For nvcc, libtorch's headers include CUDA's headers of them. Here the precompiled
 * headers are read as the host's, so a source that uses such a type gets CUDA's headers before its own text.
 */

export const shortFloatHeaders = '#include "cuda_fp16.h"\n#include "cuda_bf16.h"\n'

/** What the two headers declare outside of namespaces. */
const declared =
  /\b(?:half2?|nv_bfloat162?|__\w*(?:half|bfloat)\w*|__h\w+|make_(?:half2|bfloat162)|h2?(?:r?sqrt|rcp|log|log2|log10|cos|sin|tanh|exp|exp2|exp10|floor|ceil|trunc|rint))\b/

const includes = (names: string): RegExp =>
  new RegExp(String.raw`^[ \t]*#[ \t]*include[ \t]*[<"](?:${names})`, 'm')
const ofTorch = includes('torch/|ATen/|c10/')
const ofCuda = includes(String.raw`cuda_(?:fp16|bf16|fp8)\.h`)

/**
 * What a source means by the names of these types: `cuda`, without an include of its own; or `own`, something else.
 * `plain`: it does not use them, or it includes CUDA's headers.
 */
export type ShortFloatNames = 'cuda' | 'own' | 'plain'

/** @param texts a source's and those of its headers */
export function shortFloatNames(texts: readonly string[]): ShortFloatNames {
  const uses = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text))
  if (!uses(declared)) return 'plain'
  if (uses(ofTorch)) return 'cuda'
  return uses(ofCuda) ? 'plain' : 'own'
}
