/** How many instructions of a sort a function has; of a kernel's SASS also what it takes of the device. */
export type InstructionMix = { what: string; count: number }[]

const arithmetic =
  '(?:add|sub|mul|div|min|max|sqrt|rcp|rcp14|rsqrt|rsqrt14|hadd|hsub|addsub|dp|round|rndscale|scalef|fmadd\\d*|fmsub\\d*|fnmadd\\d*|fnmsub\\d*|fmaddsub\\d*|fmsubadd\\d*)'
const packedFloat = new RegExp(`^v?${arithmetic}p[sdh]$`)
const scalarFloat = new RegExp(`^v?${arithmetic}s[sdh]$`)
const packedInteger = /^v?p(?:add|sub|mull|mulh|muldq|muludq|madd|min|max|abs|avg|sll|srl|sra)\w*$/

/** "1 load from the stack", "2 loads from the stack": a number of things, and where they are. */
function row(count: number, thing: string, where = ''): InstructionMix[number] {
  return { what: `${thing}${count === 1 ? '' : 's'}${where === '' ? '' : ` ${where}`}`, count }
}

/** The first word of an instruction, prefixes such as `lock` and `rep` left out. */
function mnemonicOf(text: string): string {
  return /^(?:(?:lock|rep|repz|repnz|bnd|notrack|data16|cs|ds) )*(\S+)/.exec(text)?.[1] ?? ''
}

/**
 * Of x86-64 in Intel's syntax. A packed instruction works on several numbers at once; memory at rsp is
 * the function's own: what did not fit into registers, and what it passes on.
 */
export function machineMix(texts: readonly string[]): InstructionMix {
  let [packed, scalar, integer, calls, jumps, stores, loads] = [0, 0, 0, 0, 0, 0, 0]
  let widest = 0
  for (const text of texts) {
    const mnemonic = mnemonicOf(text)
    const isPacked = packedFloat.test(mnemonic)
    if (isPacked) packed += 1
    else if (scalarFloat.test(mnemonic)) scalar += 1
    else if (packedInteger.test(mnemonic)) integer += 1
    if (isPacked) {
      widest = Math.max(widest, /\bzmm/.test(text) ? 512 : /\bymm/.test(text) ? 256 : 128)
    }
    if (mnemonic.startsWith('call')) calls += 1
    else if (mnemonic.startsWith('j')) jumps += 1
    else if (/^v?mov/.test(mnemonic) && /ptr \[rsp\b/i.test(text)) {
      if (/^\S+ (?:\w+ )?(?:\w+ )?ptr \[rsp/i.test(text)) stores += 1
      else loads += 1
    }
  }
  return [
    row(texts.length, 'instruction'),
    { what: `packed floating point${widest > 0 ? `, up to ${widest} bits` : ''}`, count: packed },
    { what: 'scalar floating point', count: scalar },
    { what: 'packed integer', count: integer },
    row(calls, 'call'),
    row(jumps, 'jump'),
    row(stores, 'store', 'to the stack'),
    row(loads, 'load', 'from the stack'),
  ]
}

const ptxFloat =
  /^(?:add|sub|mul|mad|fma|div|min|max|neg|abs|sqrt|rsqrt|rcp|ex2|lg2|sin|cos|tanh)(?:\.\w+)*\.b?f(?:16|32|64)/
const sassFloat = /^(?:[FDH](?:ADD2?|MUL2?|FMA2?|MNMX)|MUFU)\b/

/** Of PTX or SASS: arithmetic, and memory by its space. Local memory is where registers spill to. */
export function deviceMix(texts: readonly string[]): InstructionMix {
  const count = (pattern: RegExp): number =>
    texts.filter((text) => pattern.test(text.replace(/^@!?%?\w+\s+/, ''))).length
  return [
    row(texts.length, 'instruction'),
    {
      what: 'floating point',
      count: count(ptxFloat) + count(sassFloat),
    },
    row(count(/^(?:ld\.global|LDG\b|LDG\.)/), 'load', 'from global memory'),
    row(count(/^(?:st\.global|STG\b|STG\.)/), 'store', 'to global memory'),
    { what: 'shared memory', count: count(/^(?:(?:ld|st|atom)\.shared|LDS\b|STS\b|LDS\.|STS\.)/) },
    {
      what: 'local memory (arrays, register spills)',
      count: count(/^(?:(?:ld|st)\.local|LDL\b|STL\b|LDL\.|STL\.)/),
    },
    row(count(/^(?:bar\.|barrier\.|BAR\b)/), 'barrier'),
  ]
}

/**
 * What ptxas -v says that each kernel takes, by its mangled name. Functions that a kernel calls have properties of
 * their own, told before or after the kernel's, and its registers are enough for them.
 */
export function resourcesOfKernel(said: string): Map<string, InstructionMix> {
  const found = new Map<string, InstructionMix>()
  const add = (name: string, one: InstructionMix[number]): void => {
    found.set(name, [...(found.get(name) ?? []), one])
  }
  let [kernel, described] = ['', '']
  for (const line of said.split('\n')) {
    kernel = /Compiling entry function '([^']+)'/.exec(line)?.[1] ?? kernel
    described = /Function properties for (\S+)/.exec(line)?.[1] ?? described
    const spilled = /(\d+) bytes spill stores/.exec(line)?.[1]
    if (spilled !== undefined) add(described, row(Number(spilled), 'byte', 'spilled'))
    const registers = /Used (\d+) registers/.exec(line)?.[1]
    if (registers === undefined) continue
    const shared = /(\d+) bytes smem/.exec(line)?.[1]
    add(kernel, row(Number(registers), 'register'))
    add(kernel, row(Number(shared ?? 0), 'byte', 'of static shared memory'))
  }
  return found
}
