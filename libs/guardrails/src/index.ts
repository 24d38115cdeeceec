export { asksModel, findCheck } from './catalogue';
export { CHECKS } from './checks';
export { CheckError, type CheckDefinition, type CheckKind, type TextMatch } from './check';
export {
  compileGuardrail,
  compileInline,
  guardrailInvalid,
  type CompiledCheck,
  type CompiledGuardrail,
  type CompileOptions,
  type CompileResult,
  type GuardrailErrorDetail,
} from './compile';
export { denialBody, denialOf } from './denial';
export { effectiveGuardrails, type GuardrailSources } from './effective';
export {
  GUARDRAIL_SCHEMA,
  type GuardrailActions,
  type GuardrailCheckEntry,
  type GuardrailDocument,
  type GuardrailFeedback,
} from './document';
export { then, type Eventually } from './eventually';
export { forwardHeaderFault } from './forward-headers';
export { GUARDRAIL_LIMITS } from './bounds';
export { detectPii, PII_CATEGORIES, type PiiCategory, type PiiPlace } from './pii/detect';
export { Work } from './work';
export { restored, StreamRestorer } from './pii/placeholders';
export {
  ResponseTooLong,
  type GuardrailResponse,
  type GuardrailCall,
  type GuardrailPort,
  type ModelCall,
  type ModelCaller,
  type ModelTarget,
} from './port';
export { dialectOf, operationTypeOf, pathTypeOf, REQUEST_TYPES, requestTypeOf } from './request-types';
export {
  hookResults,
  PASSED,
  type CheckResult,
  type FeedbackResult,
  type GuardrailResult,
  type HookResults,
  type StageVerdict,
} from './results';
export { GuardrailRunner, undecidedInBackground } from './runner';
export { partnerOf } from './partners/partner-check';
export { isSecretReference, secretNameOf, type SecretReference, type SecretSource } from './secret-reference';
export { joinSecrets, splitSecrets } from './secrets';
export type { StreamChannel } from './stream-response';
export { StreamGuard, type StreamEnd, type StreamOptions, type StreamStep } from './stream-guard';
export { Subject, type GuardrailStage, type RequestFacts } from './subject';
export { GEMINI_CITATIONS } from './text/gemini';
export { CITATIONS, NO_TEXT } from './text/items';
export { isLeftOut, otherTexts, type Member } from './text/other-texts';
export type { Dialect, Passage } from './text/passages';
export { REQUEST as REPEATED_REQUEST } from './text/responses';
export type { Scope } from './text/scope';
