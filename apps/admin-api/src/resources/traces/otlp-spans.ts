import { GatewayError } from '@gw/kernel';
import type { TraceSpan } from '@gw/log-store';
import { isSecretName, messagesIn, otlpTraceRequest, REDACTED, redactString } from '@gw/telemetry';
import { setImmediate } from 'node:timers/promises';

/** Maximum number of spans in one request. */
export const SPANS_MAX = 5_000;
/**
 * Maximum number of protobuf messages in one request (spans, attributes, values and their
 * containers), since each becomes an object.
 */
const MESSAGES_MAX = 50_000;
/**
 * Maximum total size of the attributes of resources, in characters of JSON. Each span is stored
 * with those of its resource, so a small request could otherwise become gigabytes.
 */
const RESOURCES_MAX = 16_777_216;
/**
 * Number of spans read before yielding to the event loop, since searching them for credentials
 * takes time.
 */
const SPANS_OF_A_TURN = 100;
const ATTRIBUTES_MAX = 128;
const EVENTS_MAX = 64;
const TEXT_MAX = 4_096;
const NAME_MAX = 256;
const DEPTH_MAX = 8;
const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUSES = ['unset', 'ok', 'error'] as const;

export interface ReadSpans {
  readonly spans: readonly TraceSpan[];
  /** Number of spans without readable ids or times. */
  readonly rejected: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads an OTLP trace request in protobuf or JSON. Throws `body_invalid` for any other content or
 * too many spans, and `body_too_large` for too many messages or repeated attributes.
 */
export async function readOtlpSpans(body: unknown): Promise<ReadSpans> {
  // The parser for plain text returns a string.
  if (typeof body === 'string') throw new GatewayError('content_type_unsupported');
  const request = Buffer.isBuffer(body) ? decoded(body) : body;
  const spans: TraceSpan[] = [];
  let found = 0;
  let repeated = 0;
  for (const ofResource of listOf(fieldsOf(request)['resourceSpans'])) {
    const resource = attributesOf(fieldsOf(ofResource['resource'])['attributes']);
    const { length } = JSON.stringify(resource);
    for (const scope of listOf(ofResource['scopeSpans'])) {
      for (const raw of listOf(scope['spans'])) {
        found += 1;
        if (found > SPANS_MAX) throw invalid(`must contain at most ${String(SPANS_MAX)} spans`);
        if (found % SPANS_OF_A_TURN === 0) await setImmediate();
        const span = spanOf(raw, resource);
        if (span === null) continue;
        spans.push(span);
        repeated += length;
        if (repeated > RESOURCES_MAX) throw tooRepeated();
      }
    }
  }
  return { spans, rejected: found - spans.length };
}

const tooRepeated = (): GatewayError =>
  new GatewayError('body_too_large', {
    message:
      'The attributes of the resources, which each span repeats, have more than 16 MiB; send smaller batches of spans.',
  });

const invalid = (rule: string): GatewayError =>
  new GatewayError('body_invalid', { message: `The body ${rule}.` });

function decoded(body: Buffer): unknown {
  const type = otlpTraceRequest();
  if (countOf(body) > MESSAGES_MAX)
    throw new GatewayError('body_too_large', {
      message:
        `The request body has more than ${String(MESSAGES_MAX)} messages (spans, attributes and their values); ` +
        'send smaller batches of spans.',
    });
  try {
    return type.toObject(type.decode(body), { longs: String, bytes: Buffer });
  } catch {
    throw invalid('is not an OTLP trace request in protobuf');
  }
}

function countOf(body: Buffer): number {
  try {
    return messagesIn(body, otlpTraceRequest(), MESSAGES_MAX);
  } catch {
    throw invalid('is not an OTLP trace request in protobuf');
  }
}

function fieldsOf(value: unknown): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid('is not an OTLP trace request');
  return value as Fields;
}

function listOf(value: unknown): readonly Fields[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid('is not an OTLP trace request');
  return value.map(fieldsOf);
}

function spanOf(raw: Fields, resource: Fields): TraceSpan | null {
  const [traceId, spanId] = [idOf(raw['traceId'], 32), idOf(raw['spanId'], 16)];
  const [startedAt, endedAt] = [nanosOf(raw['startTimeUnixNano']), nanosOf(raw['endTimeUnixNano'])];
  if (traceId === null || spanId === null || startedAt === null || endedAt === null) return null;
  const status = fieldsOf(raw['status']);
  const message = storedText(status['message']);
  return {
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: idOf(raw['parentSpanId'], 16),
    name: storedText(raw['name']).slice(0, NAME_MAX),
    kind: KINDS[enumOf(raw['kind'], 'SPAN_KIND_', KINDS)] ?? 'unspecified',
    started_at: new Date(Number(startedAt / 1_000_000n)).toISOString(),
    duration_us: Math.max(0, Number((endedAt - startedAt) / 1_000n)),
    status: STATUSES[enumOf(status['code'], 'STATUS_CODE_', STATUSES)] ?? 'unset',
    status_message: message === '' ? null : message,
    attributes: attributesOf(raw['attributes']),
    resource,
    events: listOf(raw['events']).slice(0, EVENTS_MAX).map(eventOf),
  };
}

function eventOf(raw: Fields): object {
  const at = nanosOf(raw['timeUnixNano']);
  return {
    name: storedText(raw['name']).slice(0, NAME_MAX),
    time: at === null ? null : new Date(Number(at / 1_000_000n)).toISOString(),
    attributes: attributesOf(raw['attributes']),
  };
}

/**
 * Reads an id: bytes in protobuf, hexadecimal in JSON. Returns null when it is missing or all
 * zeros.
 */
function idOf(value: unknown, digits: number): string | null {
  const text = Buffer.isBuffer(value) ? value.toString('hex') : textOf(value).toLowerCase();
  return text.length === digits && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text) ? text : null;
}

/** Reads a time in nanoseconds; returns null for a time that a date cannot represent. */
function nanosOf(value: unknown): bigint | null {
  const text = typeof value === 'number' && Number.isInteger(value) ? String(value) : textOf(value);
  return /^[1-9]\d{0,19}$/.test(text) ? BigInt(text) : null;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, TEXT_MAX) : '');

/**
 * Returns text in stored form, without the credentials that instrumentation may record with headers
 * and prompts. Text is cut afterwards, because a cut credential is not found.
 */
const storedText = (value: unknown): string =>
  typeof value === 'string' ? redactString(value).slice(0, TEXT_MAX) : '';

/** Reads an enum value: a number or, in the JSON of some senders, its name. */
function enumOf(value: unknown, prefix: string, names: readonly string[]): number {
  if (typeof value === 'number') return value;
  const name = textOf(value);
  return name.startsWith(prefix) ? names.indexOf(name.slice(prefix.length).toLowerCase()) : 0;
}

function attributesOf(value: unknown, depth = 0): Fields {
  const attributes: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const { key, value: given } of listOf(value).slice(0, ATTRIBUTES_MAX)) {
    const name = textOf(key).slice(0, NAME_MAX);
    if (name === '') continue;
    attributes[redactString(name)] = isSecretName(name) ? REDACTED : plainValue(fieldsOf(given), depth + 1);
  }
  return attributes;
}

function plainValue(value: Fields, depth: number): unknown {
  if (depth > DEPTH_MAX) return null;
  if ('stringValue' in value) return storedText(value['stringValue']);
  if ('boolValue' in value) return value['boolValue'] === true;
  if ('intValue' in value) return numberOf(value['intValue']);
  if ('doubleValue' in value) return numberOf(value['doubleValue']);
  if ('bytesValue' in value) return bytesOf(value['bytesValue']);
  if ('arrayValue' in value) {
    const items = listOf(fieldsOf(value['arrayValue'])['values']);
    return items.slice(0, ATTRIBUTES_MAX).map((item) => plainValue(item, depth + 1));
  }
  if ('kvlistValue' in value) return attributesOf(fieldsOf(value['kvlistValue'])['values'], depth);
  return null;
}

const NUMBER = /^-?(?:\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,4})?|infinity)$|^nan$/i;

/**
 * Returns a number, or a string when the value exceeds the exact range of a double; null for text
 * that is no number.
 */
function numberOf(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const text = textOf(value);
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  return NUMBER.test(text) ? text : null;
}

/** Returns bytes in base64; `REDACTED` when they have a credential, as they are or decoded. */
function bytesOf(value: unknown): string {
  const text = Buffer.isBuffer(value) ? value.toString('base64') : textOf(value);
  const forms = [text, Buffer.from(text, 'base64').toString('latin1')];
  return forms.some((form) => redactString(form) !== form) ? REDACTED : text.slice(0, TEXT_MAX);
}
