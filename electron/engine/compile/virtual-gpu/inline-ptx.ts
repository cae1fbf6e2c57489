/**
 * Inline PTX that the virtual GPU knows: `asm("mov.u32 %0, %%laneid;" : "=r"(lane))`. The names and
 * what they do are those of NVIDIA's PTX ISA.
 */
import { textOf } from './declarators.js'
import { closes, codeFrom, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

/** Operands are `$0`, `$1` …; an output is assigned to. */
const instructions: [RegExp, string][] = [
  [/^mov\.u32 %(\d+), %%laneid$/, '$o1 = ::opsmith::gpu::current->lane'],
  [/^mov\.u32 %(\d+), %%warpid$/, '$o1 = ::opsmith::gpu::current->linear / 32'],
  [/^mov\.u32 %(\d+), %%smid$/, '$o1 = 0'],
  [/^mov\.u32 %(\d+), %%nsmid$/, '$o1 = 8'],
  [/^mov\.u32 %(\d+), %%lanemask_lt$/, '$o1 = (1U << ::opsmith::gpu::current->lane) - 1U'],
  [/^mov\.u32 %(\d+), %%lanemask_le$/, '$o1 = (2U << ::opsmith::gpu::current->lane) - 1U'],
  [/^mov\.u32 %(\d+), %%lanemask_eq$/, '$o1 = 1U << ::opsmith::gpu::current->lane'],
  [/^mov\.u32 %(\d+), %%lanemask_ge$/, '$o1 = ~((1U << ::opsmith::gpu::current->lane) - 1U)'],
  [/^mov\.u32 %(\d+), %%lanemask_gt$/, '$o1 = ~((2U << ::opsmith::gpu::current->lane) - 1U)'],
  [/^mov\.u64 %(\d+), %%(?:globaltimer|clock64)$/, '$o1 = ::opsmith::gpu::global_nanoseconds()'],
  [/^mov\.u32 %(\d+), %%clock$/, '$o1 = (unsigned)::opsmith::gpu::global_nanoseconds()'],
  [/^(?:membar\.(?:gl|cta|sys)|fence\.(?:acq_rel|sc)\.(?:gpu|cta|sys))$/, '__threadfence()'],
  [
    /^bar\.sync (\d+)$/,
    '::opsmith::gpu::named_barrier($n1, 0, true, ::opsmith::gpu::Site::here())',
  ],
  [
    /^bar\.sync %(\d+), %(\d+)$/,
    '::opsmith::gpu::named_barrier($o1, $o2, true, ::opsmith::gpu::Site::here())',
  ],
  [
    /^bar\.sync (\d+), (\d+)$/,
    '::opsmith::gpu::named_barrier($n1, $n2, true, ::opsmith::gpu::Site::here())',
  ],
  [
    /^bar\.arrive %(\d+), %(\d+)$/,
    '::opsmith::gpu::named_barrier($o1, $o2, false, ::opsmith::gpu::Site::here())',
  ],
  [
    /^bar\.arrive (\d+), (\d+)$/,
    '::opsmith::gpu::named_barrier($n1, $n2, false, ::opsmith::gpu::Site::here())',
  ],
  [/^bfe\.u32 %(\d+), %(\d+), %(\d+), %(\d+)$/, '$o1 = ::opsmith::gpu::ptx::bfe($o2, $o3, $o4)'],
  [
    /^bfi\.b32 %(\d+), %(\d+), %(\d+), %(\d+), %(\d+)$/,
    '$o1 = ::opsmith::gpu::ptx::bfi($o2, $o3, $o4, $o5)',
  ],
  [/^prmt\.b32 %(\d+), %(\d+), %(\d+), %(\d+)$/, '$o1 = __byte_perm($o2, $o3, $o4)'],
  [/^(?:fma\.rn\.f32|fma\.rn\.f64) %(\d+), %(\d+), %(\d+), %(\d+)$/, '$o1 = fma($o2, $o3, $o4)'],
  [/^add\.[us](?:32|64) %(\d+), %(\d+), %(\d+)$/, '$o1 = $o2 + $o3'],
  [/^sub\.[us](?:32|64) %(\d+), %(\d+), %(\d+)$/, '$o1 = $o2 - $o3'],
  [/^mul\.lo\.[us](?:32|64) %(\d+), %(\d+), %(\d+)$/, '$o1 = $o2 * $o3'],
  [/^mul\.hi\.u32 %(\d+), %(\d+), %(\d+)$/, '$o1 = __umulhi($o2, $o3)'],
  [/^mad\.lo\.[us](?:32|64) %(\d+), %(\d+), %(\d+), %(\d+)$/, '$o1 = $o2 * $o3 + $o4'],
  [/^and\.b(?:32|64) %(\d+), %(\d+), %(\d+)$/, '$o1 = $o2 & $o3'],
  [/^or\.b(?:32|64) %(\d+), %(\d+), %(\d+)$/, '$o1 = $o2 | $o3'],
  [/^xor\.b(?:32|64) %(\d+), %(\d+), %(\d+)$/, '$o1 = $o2 ^ $o3'],
  [/^popc\.b32 %(\d+), %(\d+)$/, '$o1 = __popc($o2)'],
  [/^brev\.b32 %(\d+), %(\d+)$/, '$o1 = __brev($o2)'],
  [
    /^ld(?:\.volatile|\.acquire\.(?:gpu|cta|sys)|\.relaxed\.(?:gpu|cta|sys))(?:\.global|\.shared)?\.(?:u|s|b|f)(?:32|64) %(\d+), \[%(\d+)\]$/,
    '::opsmith::gpu::ptx::load($o1, $o2)',
  ],
  [
    /^st(?:\.volatile|\.release\.(?:gpu|cta|sys)|\.relaxed\.(?:gpu|cta|sys))(?:\.global|\.shared)?\.(?:u|s|b|f)(?:32|64) \[%(\d+)\], %(\d+)$/,
    '::opsmith::gpu::ptx::store($o1, $o2)',
  ],
  [
    /^exit$/,
    '::opsmith::gpu::refuse("exit in inline PTX is not supported on the virtual GPU", ::opsmith::gpu::Site::here())',
  ],
]

/**
 * C++ for inline PTX.
 * @param code the instruction, without quotes
 * @param operands outputs, then inputs
 * @returns undefined if the virtual GPU does not know the instruction
 */
function translatePtx(code: string, operands: readonly string[]): string | undefined {
  const lines = code
    .split(/;|\\n|\\t|\n/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
  const statements: string[] = []
  for (const line of lines) {
    const statement = translateLine(line, operands)
    if (statement === undefined) return undefined
    statements.push(statement)
  }
  return statements.join('; ')
}

function translateLine(line: string, operands: readonly string[]): string | undefined {
  for (const [pattern, replacement] of instructions) {
    const found = pattern.exec(line)
    if (!found) continue
    return replacement
      .replace(
        /\$o(\d)/g,
        (_, group: string) => `(${operands[Number(found[Number(group)])] ?? '0'})`,
      )
      .replace(/\$n(\d)/g, (_, group: string) => found[Number(group)] ?? '0')
  }
  return undefined
}

/**
 * An `asm` statement of the device: translated, or an error that names its code. Undefined for one of the host.
 * @param at its `asm`
 */
export function rewriteAssembly(
  tokens: readonly Token[],
  at: number,
  isOnDevice: boolean,
): { end: number; text: string } | undefined {
  let open = codeFrom(tokens, at + 1)
  while (['volatile', '__volatile__', 'inline'].includes(tokens[open]?.text ?? ''))
    open = codeFrom(tokens, open + 1)
  if (tokens[open]?.text !== '(') return undefined
  const close = closes(tokens, open)
  if (close >= tokens.length) return undefined
  let code = ''
  let index = codeFrom(tokens, open + 1)
  while (tokens[index]?.kind === 'text') {
    code += tokenAt(tokens, index).text.slice(1, -1)
    index = codeFrom(tokens, index + 1)
  }
  const operands: string[] = []
  for (let part = index; part < close; part += 1)
    if (tokenAt(tokens, part).text === '(') {
      const end = closes(tokens, part)
      operands.push(textOf(tokens, part + 1, end))
      part = end
    } else if (operands.length > 0 && tokenAt(tokens, part).kind === 'text' && operands.length > 40)
      break
  const translated = translatePtx(code, operands)
  const shown = code
    .replace(/\\[nt]/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('"', "'")
    .trim()
  const isPtx = /^[a-z]\w*(?:\.\w+)+[ ;]|%%|^\{/.test(shown)
  if (translated === undefined && !isPtx && !isOnDevice) return undefined
  return {
    end: close + 1,
    text:
      translated ??
      `static_assert(::opsmith::gpu::never, "inline PTX is not supported on the virtual GPU: ${shown.slice(0, 80).replaceAll('\\', '')}")`,
  }
}
