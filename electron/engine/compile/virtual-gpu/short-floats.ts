/**
 * CUDA's 16-bit floating-point types. For nvcc, libtorch's headers include CUDA's headers of them. Here the precompiled
 * headers are read as the host's, so a source that includes libtorch gets CUDA's headers before its own text.
 */

export const shortFloatHeaders = '#include "cuda_fp16.h"\n#include "cuda_bf16.h"\n'

/** Headers of libtorch that lead to Half.h. */
const ofTorch =
  /^[ \t]*#[ \t]*include[ \t]*[<"](?:torch\/|ATen\/|c10\/core\/|c10\/util\/(?:Half|BFloat16|complex)|c10\/cuda\/CUDA(?:Stream|Guard|Functions|CachingAllocator))/m

/** A macro that changes what the two headers declare. */
const changesHeaders = /^[ \t]*#[ \t]*(?:define|undef)[ \t]+_*CUDA_NO_/m

const typeName = String.raw`(?:__|nv_|__nv_)?(?:half2?|bfloat162?)(?:_raw)?\b`
const declaresType = new RegExp(
  String.raw`\b(?:struct|class|union|enum|using)\s+${typeName}|\btypedef\b[^;{]*\b${typeName}\s*;|\}\s*${typeName}\s*;|^[ \t]*#[ \t]*define[ \t]+${typeName}`,
  'm',
)

const has = (texts: readonly string[], pattern: RegExp): boolean =>
  texts.some((text) => pattern.test(text))

/**
 * Whether a source begins with these headers.
 * @param texts the source's and those of its headers
 */
export function needsShortFloats(texts: readonly string[]): boolean {
  return has(texts, ofTorch) && !has(texts, changesHeaders)
}

/** Whether a source can be compiled after these headers: it declares no type of its own with such a name. */
export function agreesWithShortFloats(texts: readonly string[]): boolean {
  return needsShortFloats(texts) || !(has(texts, changesHeaders) || has(texts, declaresType))
}
