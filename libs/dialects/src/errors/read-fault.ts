import type { JsonObject } from '../call';
import type { FaultClass, ProviderFault } from '../response';
import { asArray, asObject, asString, objectsOf, optional } from '../values/json';
import { classOfName, classOfStatus, FAULT_WORDS, vagueClass } from './classes';
import { retryAfterMs } from './retry-after';

/** Form of a provider's errors, as `error` of its row in `providers.json` names it. */
export type FaultShape =
  | 'openai'
  | 'openai-flat'
  | 'error-string'
  | 'fastapi'
  | 'anthropic'
  | 'google'
  | 'aws'
  | 'cohere'
  | 'mistral'
  | 'xai'
  | 'vllm'
  | 'ibm'
  | 'databricks'
  | 'snowflake'
  | 'cloudflare'
  | 'minimax'
  | 'oci'
  | 'stability'
  | 'deepgram';

/** Maximum number of characters of a message; the rest is cut. */
const MESSAGE_MAX = 8_192;
const NAME_MAX = 128;

/**
 * Reads a provider's error. `headers` are in lower case; `body` is the parsed body, or text that is
 * not JSON. A status below 400 means an error inside a stream or a successful response. `now` is in
 * Unix milliseconds, for dates in headers.
 */
export function readFault(
  shape: FaultShape,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  now = Date.now(),
): ProviderFault {
  const found = asObject(Array.isArray(body) ? body[0] : body);
  const names = namesOf(found, headers);
  const message = found === null ? null : messageOf(found);
  const faultClass = classOf(shape, status, names, `${message ?? ''} ${quotaOf(found)}`);
  return {
    class: faultClass,
    message: (message ?? statusText(status, faultClass)).slice(0, MESSAGE_MAX),
    status: clientStatus(status, faultClass),
    ...names,
    ...optional('retryAfterMs', retryAfterMs(headers, found, now)),
  };
}

type Names = Pick<ProviderFault, 'type' | 'code' | 'param'>;

function namesOf(body: JsonObject | null, headers: Readonly<Record<string, string>>): Names {
  const error = asObject(body?.['error']);
  return {
    ...optional('type', typeOf(body ?? {}, error, headers['x-amzn-errortype'])),
    ...optional('code', codeOf(body ?? {}, error)),
    ...optional('param', name(error?.['param']) ?? name(body?.['param']) ?? violatedField(error)),
  };
}

function typeOf(body: JsonObject, error: JsonObject | null, awsType: string | undefined): string | undefined {
  const aws = awsType ?? name(body['__type']);
  if (aws !== undefined) return awsName(aws);
  const flat = error === null ? [body['error_code'], body['error_type'], body['type']] : [];
  return firstName([error?.['type'], error?.['status'], ...flat, body['code']]);
}

const codeOf = (body: JsonObject, error: JsonObject | null): string | undefined =>
  firstName([
    error?.['code'],
    asObject(body['base_resp'])?.['status_code'],
    body['code'],
    body['err_code'],
    objectsOf(body['errors'])[0]?.['code'],
  ]);

function firstName(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const found = name(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a type or code as text; numbers are converted, other values become undefined. */
function name(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, NAME_MAX) : undefined;
}

/**
 * Returns the short name of an AWS error: `ValidationException` for `ValidationException:http://…`
 * and `com.amazon#ValidationException`.
 */
function awsName(text: string): string {
  const colon = text.indexOf(':');
  const head = colon < 0 ? text : text.slice(0, colon);
  return head.slice(head.indexOf('#') + 1).slice(0, NAME_MAX);
}

function violatedField(error: JsonObject | null): string | undefined {
  for (const detail of objectsOf(error?.['details'])) {
    const field = name(objectsOf(detail['fieldViolations'])[0]?.['field']);
    if (field !== undefined) return field;
  }
  return undefined;
}

/** Returns the first message in the body; the least ambiguous forms are tried first. */
function messageOf(body: JsonObject): string | null {
  const error = asObject(body['error']);
  const texts: readonly unknown[] = [
    error?.['message'],
    body['error'],
    body['message'],
    body['Message'],
    detailText(body['detail']),
    asObject(asArray(body['errors'])?.[0])?.['message'],
    asArray(body['errors'])?.[0],
    body['err_msg'],
    asObject(body['base_resp'])?.['status_msg'],
    body['title'],
  ];
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? null;
}

/** Maximum number of messages of a list that are joined. */
const DETAILS_MAX = 20;

/**
 * Returns the text of `detail`, which is a text, a list of objects with `msg`, or an object with a
 * message.
 */
function detailText(detail: unknown): unknown {
  if (!Array.isArray(detail)) {
    const object = asObject(detail);
    return object === null ? detail : (object['message'] ?? object['error']);
  }
  return objectsOf(detail.slice(0, DETAILS_MAX))
    .map((item) => asString(item['msg']))
    .filter((text) => text !== null)
    .join('; ');
}

/** Returns Google's names of the quotas that were exceeded. */
function quotaOf(body: JsonObject | null): string {
  let names = '';
  for (const detail of objectsOf(asObject(body?.['error'])?.['details']))
    for (const violation of objectsOf(detail['violations'])) names += ` ${name(violation['quotaId']) ?? ''}`;
  return names;
}

function classOf(shape: FaultShape, status: number, { type, code }: Names, text: string): FaultClass {
  if (status === 413) return 'too_large';
  // Cohere's 498 is an invalid token; elsewhere it is missing capacity.
  if (status === 498 && shape === 'cohere') return 'auth';
  const named = classOfName(code) ?? classOfName(type);
  if (isBilling(shape, status, named, text)) return 'billing';
  if (named !== null) return named;
  if (status >= 400) return classOfStatus(status);
  return vagueClass(code) ?? vagueClass(type) ?? byNumber(code) ?? 'server';
}

/**
 * Returns whether the error means an exhausted account, which some providers describe only in text.
 */
function isBilling(shape: FaultShape, status: number, named: FaultClass | null, text: string): boolean {
  if (shape === 'google') return named === 'rate' && /FreeTier|billing/i.test(text.slice(0, MESSAGE_MAX));
  return shape === 'anthropic' && status === 400 && /credit balance/i.test(text.slice(0, MESSAGE_MAX));
}

/**
 * Returns the class for a code that is an HTTP status, which some providers send inside streams;
 * null for other codes.
 */
function byNumber(code: string | undefined): FaultClass | null {
  const number = Number(code);
  return number >= 400 && number < 600 ? classOfStatus(number) : null;
}

function statusText(status: number, found: FaultClass): string {
  const shown = status < 400 ? FAULT_WORDS[found].status : status;
  const text = STATUS_TEXTS[shown];
  return `The provider responded with status ${String(shown)}${text === undefined ? '' : ` (${text})`}.`;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/**
 * Returns the status for the client: the provider's, unless that hides the error or is meaningless
 * outside of the provider's cloud.
 */
function clientStatus(status: number, found: FaultClass): number {
  if (status < 400 || status > 599) return FAULT_WORDS[found].status;
  return status === 424 ? 502 : status;
}

const SHAPES: Readonly<Record<string, FaultShape>> = {
  'anthropic-messages': 'anthropic',
  'bedrock-converse': 'aws',
  'cohere-v2': 'cohere',
  gemini: 'google',
  mistral: 'mistral',
  ollama: 'error-string',
};

/** Returns the form of errors of a provider that speaks a dialect and has no other form. */
export const shapeOfDialect = (dialect: string): FaultShape =>
  (Object.hasOwn(SHAPES, dialect) ? SHAPES[dialect] : undefined) ?? 'openai';
