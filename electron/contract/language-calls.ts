import { z } from 'zod'

import { diagnostic, textEdit } from './diagnostics'
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
  projectSymbol,
  renameReport,
  renameTarget,
  semanticTokens,
  signatureHelp,
} from './language'

const none = z.object({})

/** The editor's questions about C++ and CUDA files, and about the program: a part of appCalls. */
export const languageCalls = {
  /** The findings of the lints in the project; open files count with their unsaved text. */
  'lint.project': {
    input: z.object({
      folder: z.string(),
      /** Paths are relative to the project. */
      unsaved: z.array(z.object({ path: z.string(), text: z.string() })),
    }),
    output: z.array(diagnostic),
  },
  /** The names that the project's sources and program define, open files count with their unsaved text. */
  'symbol.list': {
    input: z.object({
      folder: z.string(),
      /** Paths are relative to the project. */
      unsaved: z.array(z.object({ path: z.string(), text: z.string() })),
    }),
    output: z.array(projectSymbol),
  },
  /**
   * What the TorchScript compiler says of a text, saved or not; made when the op host is idle. Cancelled by a newer
   * one.
   */
  'program.check': {
    input: z.object({ folder: z.string(), text: z.string().max(4_000_000).optional() }),
    output: z.array(diagnostic),
  },
  /** The function that is registered at a place, as operators' kernels name them: its own place. */
  'program.kernel': {
    input: z.object({ folder: z.string(), file: z.string(), line: z.int() }),
    output: z.object({ file: z.string(), line: z.int() }),
  },
  /**
   * The functions that make the gradients of these operators (names without overloads), as files on disk have them:
   * of `autograd` in opsmith.json, or of the torch::autograd::Function that a kernel applies. One that is not found is
   * left out.
   */
  'operator.gradientFunctions': {
    input: z.object({ folder: z.string(), operators: z.array(z.string()).max(10_000) }),
    output: z.array(
      z.object({
        operator: z.string(),
        name: z.string(),
        file: z.string(),
        line: z.int(),
      }),
    ),
  },
  /** A C++ or CUDA file as the editor holds it; `judge`: diagnostics are wanted for it now. */
  'language.show': { input: documentText.extend({ judge: z.boolean() }), output: none },
  /** The editor closed it. */
  'language.hide': { input: languageFile, output: none },
  'language.state': { input: none, output: languageState },
  /** Starts a new clangd instead of the one that runs or that failed too often. */
  'language.restart': { input: none, output: none },
  'language.complete': {
    input: languagePosition.extend({ trigger: z.string().max(4) }),
    /** null: clangd withdrew it, since the text was changing. */
    output: completionList.nullable(),
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
    input: languageFile.extend({ id: z.int().nonnegative() }),
    output: z.array(textEdit),
  },
} as const
