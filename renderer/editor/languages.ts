import { monaco } from './monaco'

const cudaExtensions = ['.cu', '.cuh']
const cppExtensions = ['.cpp', '.cc', '.cxx', '.c', '.h', '.hpp', '.hh', '.hxx', '.inc', '.inl']

export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const extension = dot < 0 ? '' : name.slice(dot).toLowerCase()
  if (cudaExtensions.includes(extension)) return 'cuda'
  if (cppExtensions.includes(extension)) return 'cpp'
  if (extension === '.py') return 'python'
  if (extension === '.json') return 'json'
  // Headers of the C++ library have no extension: <vector>.
  return extension === '' && path.includes('/include/') ? 'cpp' : 'plaintext'
}

const cudaWords = [
  '__global__',
  '__device__',
  '__host__',
  '__shared__',
  '__constant__',
  '__managed__',
  '__launch_bounds__',
  '__restrict__',
  '__noinline__',
  '__forceinline__',
  '__grid_constant__',
  'threadIdx',
  'blockIdx',
  'blockDim',
  'gridDim',
  'warpSize',
  'dim3',
  '__syncthreads',
  '__syncwarp',
  '__threadfence',
  '__threadfence_block',
  '__ldg',
  '__shfl_sync',
  '__shfl_up_sync',
  '__shfl_down_sync',
  '__shfl_xor_sync',
  '__ballot_sync',
  '__any_sync',
  '__all_sync',
  '__activemask',
  'atomicAdd',
  'atomicMax',
  'atomicMin',
  'atomicCAS',
  'atomicExch',
]

/** CUDA C++ is C++ with more words and `<<<…>>>`. */
export function registerCuda(): void {
  monaco.languages.register({ id: 'cuda', extensions: cudaExtensions, aliases: ['CUDA', 'cuda'] })
  const load = (): Promise<typeof import('monaco-editor/languages/definitions/cpp/cpp.js')> =>
    import('monaco-editor/languages/definitions/cpp/cpp.js')
  monaco.languages.registerTokensProviderFactory('cuda', {
    create: async () => {
      const { language } = await load()
      return { ...language, keywords: [...language.keywords, ...cudaWords] }
    },
  })
  monaco.languages.onLanguageEncountered('cuda', () => {
    void load().then(({ conf }) => monaco.languages.setLanguageConfiguration('cuda', conf))
  })
}
