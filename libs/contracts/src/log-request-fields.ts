import type { LogFieldFacts } from './log-field-facts';
import { LOG_KIND } from './log-kinds';

const { uuidOrNull, text, textOrNull, freeText, indexedText, indexedTextOrNull } = LOG_KIND;

/** The fields that describe the request and its sender. Part of `LOG_FIELDS`. */
export const LOG_REQUEST_FIELDS = {
  organisation_id: {
    member: 'organisationId',
    kind: uuidOrNull,
    about: 'Id of the organisation. Null: the key is not known.',
    fact: 'LowCardinality(String)',
    shown: { as: 'organisation_id' },
  },
  workspace_id: {
    member: 'workspaceId',
    kind: uuidOrNull,
    about: 'Id of the workspace. Null: the organisation is known, but no workspace.',
    fact: 'LowCardinality(String)',
    shown: { as: 'workspace_id' },
  },
  api_key_id: {
    member: 'apiKeyId',
    kind: uuidOrNull,
    about: 'Id of the API key.',
    fact: 'String',
    filter: {
      anyOf: 'uuid',
      about: 'Ids of API keys.',
      alias: { name: 'api_key_ids', about: 'The same as api_key_id.' },
    },
    zoneBits: 0,
    shown: { as: 'api_key_id' },
  },
  user_id: {
    member: 'userId',
    kind: textOrNull,
    about: 'Id of the user whose key it is. Null: it is no user key.',
    fact: 'String',
    filter: { anyOf: 'text', about: 'Ids of users.' },
    zoneBits: 1,
    shown: { as: 'user_id' },
  },
  trace_id: {
    member: 'traceId',
    kind: indexedText,
    about: 'Trace that the request belongs to.',
    exported: { as: 'trace_id', place: 2 },
    fact: 'String',
    filter: { anyOf: 'text', about: 'Trace ids.' },
    shown: { as: 'trace_id', example: 'trace-1' },
  },
  span_id: {
    member: 'spanId',
    kind: indexedTextOrNull,
    about: 'Span of the request in its trace.',
    fact: 'String',
    usual: null,
    filter: { anyOf: 'text', about: 'Span ids.' },
    shown: { as: 'span_id', example: 'span-1' },
  },
  parent_span_id: {
    member: 'parentSpanId',
    kind: indexedTextOrNull,
    about: 'Span within which the request was made.',
    usual: null,
    filter: { anyOf: 'text', about: 'Span ids of parents.' },
    shown: { as: 'parent_span_id', example: 'span-0' },
  },
  span_name: {
    member: 'spanName',
    kind: indexedTextOrNull,
    about: 'Name of the span.',
    usual: null,
    filter: { anyOf: 'text', about: 'Names of spans.' },
    zoneBits: 10,
    shown: { as: 'span_name', example: 'answer' },
  },
  method: {
    member: 'method',
    kind: text,
    about: 'HTTP method.',
    filter: { anyOf: 'text', about: 'HTTP methods.' },
    zoneBits: 11,
    shown: { as: 'request_method', example: 'POST' },
  },
  url: {
    member: 'url',
    kind: freeText,
    about: 'Path with its query; secrets in the query are removed.',
    exported: { as: 'request_url', place: 12 },
    shown: { as: 'request_url', example: '/v1/chat/completions' },
  },
  route: {
    member: 'route',
    kind: text,
    about: 'Route family, such as chat.completions.',
    fact: 'LowCardinality(String)',
    filter: { anyOf: 'text', about: 'Route families, such as chat.completions.' },
    zoneBits: 5,
    shown: { as: 'route', example: 'chat.completions' },
  },
} as const satisfies Readonly<Record<string, LogFieldFacts>>;
