import { LOG_KIND } from './log-kinds';

const OUTCOMES = ['ok', 'provider_error', 'denied', 'failed', 'client_closed', 'interrupted'] as const;
const PRICED = ['priced', 'unpriced', 'no_usage', 'estimated'] as const;

/** How lists of logs filter by a column: by any of some values, or between two bounds, which are included. */
export interface LogFilterFacts {
  /** Any of the values, under the column's name. A list: only these values. `uuid`: only UUIDs. */
  readonly anyOf?: 'text' | 'uuid' | readonly string[];
  /** For the API's document. */
  readonly about?: string;
  /** A second name of the parameter, as the public API has it. */
  readonly alias?: { readonly name: string; readonly about: string };
  /** Parameters `<name>_min` and `<name>_max`; `null`: the API has none of its own, or writes them by hand. */
  readonly between?: { readonly name: string; readonly max: number; readonly about: string } | null;
}

/** What every column of the request log says of itself, whether a gateway sends it or the store derives it. */
export interface LogColumnFacts {
  readonly filter?: LogFilterFacts;
  /**
   * Number of the column's Bloom filter in the bits of `log_zones.terms`. Stored data: a number is never changed and never
   * used again. Absent: zone maps say nothing about the column's values. A new one needs wider `terms` (a migration).
   */
  readonly zoneBits?: number;
  /** Zone maps keep the lowest and the highest value, in columns of `log_zones` that a migration makes. */
  readonly zoneBounds?: true;
  /** Read for the detail of one log alone. */
  readonly isDetail?: true;
  /** The API's lists show it, by this name. Absent: they do not, or by hand. */
  readonly shown?: { readonly as: string; readonly about?: string; readonly example?: string | number };
}

interface LogFieldFacts extends LogColumnFacts {
  /** Name in the record that a gateway sends. */
  readonly member: string;
  readonly kind: {
    readonly sql: string;
    readonly salvage: (value: unknown) => unknown;
    readonly store: (value: never) => unknown;
  };
  /** Gateways leave the member out where it has this value, as most records have. */
  readonly usual?: unknown;
}

const { uuidOrNull, text, textOrNull, oneOf, freeText, indexedText, indexedTextOrNull, flag, cut } = LOG_KIND;
const { smallCount, count, moneyOrNull, milliseconds, millisecondsOrNull, texts } = LOG_KIND;

/**
 * The fields of a log record that are columns of their own, declared once, by column. From here come the record's type, its
 * defaults, what is salvaged of a damaged one, the row and its `COPY`, filters, zone maps, and the API's lists and their
 * document. A new one needs its line here, a migration, and a line of the gateway's `record/log-record.ts` that fills it.
 */
export const LOG_FIELDS = {
  organisation_id: { member: 'organisationId', kind: uuidOrNull, shown: { as: 'organisation_id' } },
  workspace_id: { member: 'workspaceId', kind: uuidOrNull, shown: { as: 'workspace_id' } },
  api_key_id: {
    member: 'apiKeyId',
    kind: uuidOrNull,
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
    filter: { anyOf: 'text', about: 'Ids of users.' },
    zoneBits: 1,
    shown: { as: 'user_id' },
  },
  trace_id: {
    member: 'traceId',
    kind: indexedText,
    filter: { anyOf: 'text', about: 'Trace ids.' },
    shown: { as: 'trace_id', example: 'trace-1' },
  },
  span_id: {
    member: 'spanId',
    kind: indexedTextOrNull,
    usual: null,
    filter: { anyOf: 'text', about: 'Span ids.' },
    shown: { as: 'span_id', example: 'span-1' },
  },
  parent_span_id: {
    member: 'parentSpanId',
    kind: indexedTextOrNull,
    usual: null,
    filter: { anyOf: 'text', about: 'Span ids of parents.' },
    shown: { as: 'parent_span_id', example: 'span-0' },
  },
  span_name: {
    member: 'spanName',
    kind: indexedTextOrNull,
    usual: null,
    filter: { anyOf: 'text', about: 'Names of spans.' },
    zoneBits: 10,
    shown: { as: 'span_name', example: 'answer' },
  },
  method: {
    member: 'method',
    kind: text,
    filter: { anyOf: 'text', about: 'HTTP methods.' },
    zoneBits: 11,
    shown: { as: 'request_method', example: 'POST' },
  },
  /** Path with its query, secrets in the query removed. */
  url: { member: 'url', kind: freeText, shown: { as: 'request_url', example: '/v1/chat/completions' } },
  /** Route family: `chat.completions`, `passthrough`, … */
  route: {
    member: 'route',
    kind: text,
    filter: { anyOf: 'text', about: 'Route families, such as chat.completions.' },
    zoneBits: 5,
    shown: { as: 'route', example: 'chat.completions' },
  },
  status: {
    member: 'status',
    kind: smallCount,
    filter: { between: null },
    zoneBounds: true,
    zoneBits: 20,
    shown: { as: 'response_status_code', example: 200 },
  },
  outcome: {
    member: 'outcome',
    kind: oneOf(OUTCOMES, 'failed'),
    filter: { anyOf: OUTCOMES },
    zoneBits: 6,
    shown: { as: 'outcome', example: 'ok' },
  },
  /** `type` of the error that the caller saw. */
  error_type: {
    member: 'errorType',
    kind: textOrNull,
    usual: null,
    filter: { anyOf: 'text', about: 'Types of the error that the caller saw.' },
    zoneBits: 7,
    shown: { as: 'error_type', example: 'rate_limited' },
  },
  provider: {
    member: 'provider',
    kind: textOrNull,
    filter: { anyOf: 'text', about: 'Providers, such as openai.' },
    zoneBits: 2,
    shown: { as: 'provider', example: 'openai' },
  },
  /** Slug of the saved provider; null: the request named its own. */
  credential: {
    member: 'credential',
    kind: textOrNull,
    filter: {
      anyOf: 'text',
      about: 'Slugs of saved providers.',
      alias: { name: 'virtual_keys', about: 'Slugs of saved providers; the same as credential.' },
    },
    zoneBits: 3,
    shown: { as: 'credential', about: 'Slug of the saved provider.', example: 'openai-prod' },
  },
  integration_id: {
    member: 'integrationId',
    kind: textOrNull,
    filter: { anyOf: 'text', about: 'Ids of integrations.' },
    zoneBits: 13,
    shown: { as: 'integration_id' },
  },
  /** As requested. */
  model: {
    member: 'model',
    kind: textOrNull,
    filter: { anyOf: 'text', about: 'Models as requested.' },
    zoneBits: 4,
    shown: { as: 'model', example: 'gpt-4o' },
  },
  response_model: {
    member: 'responseModel',
    kind: textOrNull,
    filter: { anyOf: 'text', about: 'Models that providers said they used.' },
    zoneBits: 12,
    shown: {
      as: 'response_model',
      about: 'The model that the provider says it used.',
      example: 'gpt-4o-2024-08-06',
    },
  },
  streamed: { member: 'streamed', kind: flag, usual: false, zoneBits: 19, shown: { as: 'streamed' } },
  /** 1e-8 USD, of all attempts; null: the model's price is not known (`unpriced`), or there was no usage. */
  cost: { member: 'cost', kind: moneyOrNull, usual: null, filter: { between: null }, zoneBounds: true },
  /**
   * `estimated`: the response was cut or it reported no usage, so that `usage` is null and `cost` is what it likely cost.
   * `unpriced`: no price is known, whether usage was reported or not.
   */
  priced: {
    member: 'priced',
    kind: oneOf(PRICED, 'no_usage'),
    filter: { anyOf: PRICED },
    zoneBits: 17,
    shown: { as: 'priced', example: 'priced' },
  },
  config_id: {
    member: 'configId',
    kind: textOrNull,
    filter: {
      anyOf: 'text',
      about: 'Ids of configs.',
      alias: { name: 'configs', about: 'Slugs of configs; the same as config_id.' },
    },
    zoneBits: 8,
    shown: { as: 'config_id' },
  },
  config_version_id: {
    member: 'configVersionId',
    kind: textOrNull,
    filter: { anyOf: 'text', about: 'Ids of versions of configs.' },
    zoneBits: 14,
    shown: { as: 'config_version_id' },
  },
  target_path: {
    member: 'targetPath',
    kind: textOrNull,
    shown: { as: 'target_path', example: 'config.targets[0]' },
  },
  retries: {
    member: 'retries',
    kind: smallCount,
    usual: 0,
    filter: { between: { name: 'retries', max: 1e3, about: 'Repetitions' } },
    zoneBounds: true,
    shown: { as: 'retries', example: 0 },
  },
  cache_status: {
    member: 'cacheStatus',
    kind: oneOf<string>([], 'DISABLED'),
    usual: 'DISABLED',
    filter: { anyOf: 'text', about: 'Cache states, such as HIT.' },
    zoneBits: 9,
    shown: { as: 'cache_status', example: 'MISS' },
  },
  metadata: { member: 'metadata', kind: texts, usual: {}, shown: { as: 'metadata' } },
  /** Whole request, to the last byte handed to the socket. */
  duration_ms: {
    member: 'durationMs',
    kind: milliseconds,
    filter: { between: { name: 'response_time', max: 1e9, about: 'Milliseconds' } },
    zoneBounds: true,
    shown: { as: 'response_time' },
  },
  /** Until the provider's first body byte reached the client; null when there was none. */
  first_byte_ms: {
    member: 'firstByteMs',
    kind: millisecondsOrNull,
    usual: null,
    filter: { between: { name: 'first_byte_ms', max: 1e9, about: 'Milliseconds until the first byte' } },
    zoneBounds: true,
    shown: { as: 'first_byte_ms' },
  },
  /** Time that was ours: all but waiting for the provider and the client. */
  overhead_ms: {
    member: 'overheadMs',
    kind: milliseconds,
    filter: { between: { name: 'overhead_ms', max: 1e9, about: 'Milliseconds of our own' } },
    zoneBounds: true,
    shown: { as: 'overhead_ms' },
  },
  request_bytes: { member: 'requestBytes', kind: count, shown: { as: 'request_bytes', example: 512 } },
  response_bytes: { member: 'responseBytes', kind: count, shown: { as: 'response_bytes', example: 2048 } },
  request_content_type: { member: 'requestContentType', kind: textOrNull },
  response_content_type: { member: 'responseContentType', kind: textOrNull },
  request_body_truncated: { member: 'requestBodyTruncated', kind: cut, usual: false },
  response_body_truncated: { member: 'responseBodyTruncated', kind: cut, usual: false },
  gateway_id: {
    member: 'gatewayId',
    kind: text,
    filter: { anyOf: 'text', about: 'Gateways.' },
    zoneBits: 18,
    shown: { as: 'gateway_id', example: 'gateway-1' },
  },
} as const satisfies Readonly<Record<string, LogFieldFacts>>;

type Fields = typeof LOG_FIELDS;
export type LogFieldColumn = keyof Fields;

/** The members of a log record that `LOG_FIELDS` declares. */
export type LogFields = {
  readonly [Column in LogFieldColumn as Fields[Column]['member']]: ReturnType<
    Fields[Column]['kind']['salvage']
  >;
};

const ALL: readonly LogFieldFacts[] = Object.values(LOG_FIELDS);

export const LOG_MEMBERS = ALL.map(({ member }) => member) as readonly (keyof LogFields)[];

/** Values of members that a shipped record leaves out. */
export const USUAL_LOG_FIELDS = Object.fromEntries(
  ALL.flatMap(({ member, usual }) => (usual === undefined ? [] : [[member, usual]])),
) as Partial<LogFields>;

/** The fields of a damaged record: something of each one's kind, whatever it holds. */
export const salvagedLogFields = (record: Readonly<Record<string, unknown>>): LogFields =>
  Object.fromEntries(ALL.map(({ member, kind }) => [member, kind.salvage(record[member])])) as LogFields;
