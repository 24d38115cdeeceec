export { messagesIn } from './otlp-messages';
export { otlpTraceRequest, otlpTraceResponse } from './otlp-proto';
export {
  isSecretName,
  REDACTED,
  redactBody,
  redactJson,
  redactMetadata,
  redactString,
  redactUrl,
} from './redact';
export { callSpanId, spanIdOf, traceIdOf } from './span-ids';
