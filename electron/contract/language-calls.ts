import { z } from 'zod'

import { textEdit } from './diagnostics'
import {
  codeAction,
  completionList,
  documentSymbol,
  documentText,
  filePlace,
  hover,
  inlayHint,
  languageFile,
  languagePosition,
  languageRange,
  languageState,
  renameReport,
  renameTarget,
  semanticTokens,
  signatureHelp,
} from './language'

const none = z.object({})

/** What the editor asks about C++ and CUDA files: a part of appCalls. */
export const languageCalls = {
  /** A C++ or CUDA file as the editor holds it; `judge`: diagnostics are wanted for it now. */
  'language.show': { input: documentText.extend({ judge: z.boolean() }), output: none },
  /** The editor let go of it. */
  'language.hide': { input: languageFile, output: none },
  'language.state': { input: none, output: languageState },
  /** Another clangd in place of the one that runs, or that was given up. */
  'language.restart': { input: none, output: none },
  'language.complete': {
    input: languagePosition.extend({ trigger: z.string().max(4) }),
    output: completionList,
  },
  'language.hover': { input: languagePosition, output: hover.nullable() },
  'language.signatures': { input: languagePosition, output: signatureHelp.nullable() },
  'language.definition': { input: languagePosition, output: z.array(filePlace) },
  'language.references': { input: languagePosition, output: z.array(filePlace) },
  'language.renameTarget': { input: languagePosition, output: renameTarget.nullable() },
  /** What a rename would change, in all files of the project. */
  'language.rename': {
    input: languagePosition.extend({ newName: z.string().min(1).max(1000) }),
    output: renameReport,
  },
  'language.inlayHints': { input: languageRange, output: z.array(inlayHint) },
  'language.semanticTokens': { input: languageFile, output: semanticTokens.nullable() },
  'language.symbols': { input: languageFile, output: z.array(documentSymbol) },
  'language.format': { input: languageFile, output: z.array(textEdit) },
  'language.formatRange': { input: languageRange, output: z.array(textEdit) },
  'language.actions': { input: languageRange, output: z.array(codeAction) },
  /** What an action of the last answer about this file would change. */
  'language.actionEdits': {
    input: languageFile.extend({ id: z.number().int().nonnegative() }),
    output: z.array(textEdit),
  },
} as const
