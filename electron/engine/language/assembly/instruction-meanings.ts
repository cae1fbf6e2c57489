import { instructionName } from '../../../contract/assembly'
import type { AssemblyForm } from '../../../contract/assembly'
import { ptxMeanings, sassMeanings } from './device-instructions'
import x86 from './x86-instructions.json'

/** Of x86, what the table of Opcodes does not have. */
const moreX86: Record<string, string> = {
  endbr64: 'Mark a valid target of indirect jumps (control-flow protection)',
  movabs: 'Move a 64-bit constant, or load or store at a 64-bit address',
  leave: "Restore the caller's frame: copy rbp to rsp, then pop rbp",
  'rep stos': 'Fill memory with rcx copies of al, ax, eax or rax',
  'rep movs': 'Copy memory: rcx elements from rsi to rdi',
  syscall: 'Call the kernel of the operating system',
  hlt: 'Stop the processor until an interrupt',
}

const opcodes: Readonly<Record<string, string>> = x86.meanings
/** Looks in both tables. One joined table would cost each start of Opsmith 4 ms. */
const inTables = (name: string): string | undefined => moreX86[name] ?? opcodes[name]

function x86Meaning(name: string): string | undefined {
  const whole = inTables(name)
  if (whole !== undefined) return whole
  const mnemonic = name.split(/\s+/).at(-1) ?? ''
  const base = inTables(mnemonic) ?? vexMeaning(mnemonic)
  return base !== undefined && name.startsWith('lock ') ? `${base}, atomically` : base
}

/** AVX has the instructions of SSE under their names with a v, each with one more operand. */
function vexMeaning(mnemonic: string): string | undefined {
  return mnemonic.startsWith('v') ? inTables(mnemonic.slice(1)) : undefined
}

/** Words of PTX between "ld" and its state space, and what follows "::" in a state space. */
const ordering =
  /\.(?:weak|volatile|mmio|relaxed|acquire|release|acq_rel)(?:\.(?:cta|cluster|gpu|sys))?(?=\.|$)|::\w+/g

/** "ld.global.nc.f32" by its longest known beginning: ld.global.nc, ld.global, ld. */
function dottedMeaning(
  table: Readonly<Record<string, string>>,
  mnemonic: string,
): string | undefined {
  const parts = mnemonic.replace(ordering, '').split('.')
  for (let length = parts.length; length > 0; length -= 1) {
    const meaning = table[parts.slice(0, length).join('.')]
    if (meaning !== undefined) return meaning
  }
  return undefined
}

/** What the instructions of a function do, by instructionName(); those that no table has are left out. */
export function meaningsOf(form: AssemblyForm, texts: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of new Set(texts.map(instructionName))) {
    const meaning =
      form === 'machine'
        ? x86Meaning(name)
        : dottedMeaning(form === 'ptx' ? ptxMeanings : sassMeanings, name)
    if (meaning !== undefined) found[name] = meaning
  }
  return found
}
