import type { ExportSignature } from './shapes'

function textAt(value: unknown, ...keys: string[]): string {
  let at: unknown = value
  for (const key of keys) {
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined
  }
  return typeof at === 'string' ? at : ''
}

/** What the inputs of the graph stand for, by their names: "parameter layers.0.weight". */
export function inputOrigins(signature: ExportSignature): Map<string, string> {
  const origins = new Map<string, string>()
  for (const spec of signature.input_specs) {
    const [kind, value] = Object.entries(spec).find(([, item]) => item !== null) ?? ['', null]
    const name = textAt(value, 'arg', 'name')
    if (kind === 'parameter') origins.set(name, `parameter ${textAt(value, 'parameter_name')}`)
    else if (kind === 'buffer') origins.set(name, `buffer ${textAt(value, 'buffer_name')}`)
    else if (kind === 'tensor_constant')
      origins.set(name, `constant ${textAt(value, 'tensor_constant_name')}`)
    else if (kind === 'custom_obj') origins.set(name, `object ${textAt(value, 'custom_obj_name')}`)
    else if (kind === 'token') origins.set(name, 'token')
    else if (kind === 'user_input') {
      for (const way of ['as_tensor', 'as_custom_obj'])
        origins.set(textAt(value, 'arg', way, 'name'), 'user input')
      for (const way of ['as_sym_int', 'as_sym_float', 'as_sym_bool']) {
        origins.set(textAt(value, 'arg', way, 'as_name'), 'user input')
      }
    }
  }
  origins.delete('')
  return origins
}
