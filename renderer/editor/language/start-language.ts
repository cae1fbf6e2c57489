import { followDocuments } from './documents'
import { registerProviders } from './providers'

/** Once, when Monaco is there. */
export function startLanguage(): void {
  followDocuments()
  registerProviders()
}
