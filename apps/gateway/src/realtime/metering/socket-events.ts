import { Buffer } from 'node:buffer';
import type { Usage } from '@gw/contracts';
import { isObject, hasDuplicateMembers } from '@gw/kernel';
import { judgeUsage } from '@gw/limits';
import { lastUsageObject, readUsageAtEnd, type JsonObject, type Provider } from '@gw/providers';

/** Longer messages, in bytes, are not parsed; their usage is read from their end. */
const PARSE_BYTES_MAX = 1_048_576;
const HEAD_BYTES = 512;
const TAIL_BYTES = 65_536;

const USAGE = Buffer.from('"usage');
const DELTA = Buffer.from('"delta"');
/** Members of Gemini's messages that end a generation. */
const TURN_ENDS = ['"turnComplete"', '"toolCall"'].map((name) => Buffer.from(name));

/** Event types of OpenAI's protocols: Realtime, and Responses over WebSocket. */
const OPENAI =
  /^(?:response|session|transcription_session|conversation|(?:in|out)put_audio_buffer|rate_limits|mcp_list_tools)\.|^error$/;
/** The last event of a response. */
const ENDS: ReadonlySet<string> = new Set([
  'response.done',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);
const SESSION = /^(?:transcription_)?session\.(?:created|updated)$/;
/** Events without model output. */
const QUIET =
  /^(?:session\.|transcription_session\.|rate_limits\.|(?:in|out)put_audio_buffer\.|mcp_list_tools\.|conversation\.created$|conversation\.item\.(?:created|added|done|retrieved|deleted|truncated|input_audio_transcription\.failed)$|response\.(?:queued|in_progress)$)/;
/** Gemini messages without model output, by their first member. */
const QUIET_GEMINI = /^\s*\{\s*"(?:setupComplete|goAway|sessionResumptionUpdate|toolCallCancellation)"/;

export type EventKind = 'created' | 'end' | 'error' | 'output' | 'quiet' | 'session';

/** The facts that were read from a provider message. */
export interface ProviderEvent {
  readonly kind: EventKind;
  /** Event type in OpenAI's protocols; empty for other protocols. */
  readonly type: string;
  /**
   * The parsed message; null when it was not parsed. For a message that is too long, the members
   * read from its beginning.
   */
  readonly body: JsonObject | null;
  /** The reported usage; null when the message reports none or an implausible one. */
  readonly usage: Usage | null;
  /** In protocols without response ids: the next message belongs to another generation. */
  readonly endsTurn: boolean;
  /** Output in bytes: text in `text`, audio in `sound`. */
  readonly text: number;
  readonly sound: number;
}

/**
 * Reads a provider message. Most are classified by their first bytes and one search; only messages
 * that report something are parsed.
 */
export function readProviderEvent(
  provider: Pick<Provider, 'usage'>,
  message: Buffer,
  isBinary: boolean,
): ProviderEvent {
  const head = message.toString('latin1', 0, HEAD_BYTES);
  const type = knownType(/"type"\s*:\s*"([a-z0-9_.]+)"/.exec(head)?.[1]);
  const isRead = type === 'response.created' || ENDS.has(type) || SESSION.test(type);
  if (isRead || message.includes(USAGE)) return readWhole(provider, message, isBinary, head, type);
  return { ...measured(kindOf(type, head), type, head, message, isBinary), body: null, usage: null };
}

function readWhole(
  provider: Pick<Provider, 'usage'>,
  message: Buffer,
  isBinary: boolean,
  head: string,
  typeInHead: string,
): ProviderEvent {
  const parsed = message.length > PARSE_BYTES_MAX ? null : objectOf(message);
  const type = parsed === null ? typeInHead : knownType(textAt(parsed, 'type') ?? undefined);
  const usage = parsed === null ? usageAtEnd(provider, message) : provider.usage(parsed);
  const isUsable = usage !== null && judgeUsage(usage).kind === 'usable';
  return {
    ...measured(kindOf(type, head), type, head, message, isBinary),
    body: parsed ?? beginningOf(head),
    usage: isUsable ? usage : null,
  };
}

function measured(
  kind: EventKind,
  type: string,
  head: string,
  message: Buffer,
  isBinary: boolean,
): Omit<ProviderEvent, 'body' | 'usage'> {
  const isOutput = kind === 'output';
  const bytes = isOutput ? outputBytes(type, message) : 0;
  const isSound = isOutput && isSoundOf(type, head, isBinary);
  const endsTurn = type === '' && TURN_ENDS.some((mark) => message.includes(mark));
  return { kind, type, endsTurn, text: isSound ? 0 : bytes, sound: isSound ? bytes : 0 };
}

function kindOf(type: string, head: string): EventKind {
  if (ENDS.has(type)) return 'end';
  if (type === 'response.created') return 'created';
  if (type === 'error') return 'error';
  if (SESSION.test(type)) return 'session';
  return QUIET.test(type) || (type === '' && QUIET_GEMINI.test(head)) ? 'quiet' : 'output';
}

const knownType = (type: string | undefined): string => (type !== undefined && OPENAI.test(type) ? type : '');

/**
 * Returns the bytes of output. An OpenAI event without a delta adds none, because its content was
 * sent in deltas.
 */
function outputBytes(type: string, message: Buffer): number {
  if (type === '') return message.length;
  const at = type.endsWith('.delta') ? message.indexOf(DELTA) : -1;
  return at < 0 ? 0 : message.length - at - DELTA.length;
}

const isSoundOf = (type: string, head: string, isBinary: boolean): boolean =>
  type === '' ? head.includes('"inlineData"') || (isBinary && !isJson(head)) : type.endsWith('audio.delta');

const isJson = (head: string): boolean => /^\s*[{[]/.test(head);

function usageAtEnd(provider: Pick<Provider, 'usage'>, message: Buffer): Usage | null {
  const end = message.subarray(-TAIL_BYTES);
  const usage = lastUsageObject(end);
  return (usage && provider.usage({ usage })) ?? readUsageAtEnd(provider, end);
}

const beginningOf = (head: string): JsonObject => ({
  response: {
    id: /"id"\s*:\s*"([^"\\]+)"/.exec(head)?.[1],
    model: /"model"\s*:\s*"([^"\\]+)"/.exec(head)?.[1],
  },
});

/** Longer client messages, in bytes, are not parsed. */
const ASK_BYTES_MAX = 4 * 1_048_576;
const ESCAPE = Buffer.from('\\u');
const ASK = Buffer.from('"response.create"');
const MODEL = Buffer.from('"model"');
const SOUND_OF_CLIENT =
  /^\s*\{\s*"(?:realtimeInput|realtime_input)"|"type"\s*:\s*"input_audio_buffer\.append"/;

/** The facts that were read from a client message. */
export interface ClientEvent {
  readonly isSound: boolean;
  /** The message requests a response. */
  readonly requestsResponse: boolean;
  /** The response uses only the message's own input, not the conversation. */
  readonly usesOwnInputOnly: boolean;
  /** Models that the message names; null when the message is too long to be parsed. */
  readonly models: readonly string[] | null;
  /** The message has a duplicate member name, so another parser may read another value. */
  readonly isAmbiguous: boolean;
}

const NONE: readonly string[] = Object.freeze([]);
const SOUND: ClientEvent = {
  ...{ isSound: true, requestsResponse: false, usesOwnInputOnly: false, models: NONE, isAmbiguous: false },
};
const TEXT: ClientEvent = { ...SOUND, isSound: false };

/**
 * Reads a client message. Messages that may request a response or name a model are parsed, however
 * they are escaped; audio and plain text are not.
 */
export function readClientEvent(message: Buffer, isBinary: boolean): ClientEvent {
  const isRead = message.includes(ASK) || message.includes(MODEL) || message.includes(ESCAPE);
  const head = message.toString('latin1', 0, HEAD_BYTES);
  const isSound = isJson(head) ? SOUND_OF_CLIENT.test(head) : isBinary;
  if (isRead && message.length > ASK_BYTES_MAX)
    return { ...TEXT, isSound, requestsResponse: message.includes(ASK), models: null };
  const body = isRead ? objectOf(message) : null;
  if (body === null) return isSound ? SOUND : TEXT;
  const requestsResponse = body['type'] === 'response.create';
  const parts = [body, body['response'], body['session'], body['setup']].filter(isObject);
  const usesOwnInputOnly =
    requestsResponse &&
    parts.some(({ input }) => input !== undefined) &&
    textAt(body, 'previous_response_id') === null;
  const models = parts.flatMap(modelsNamedIn);
  return {
    isSound: isSound && !requestsResponse,
    requestsResponse,
    usesOwnInputOnly,
    models,
    isAmbiguous: hasDuplicateMembers(message),
  };
}

/**
 * Returns the models that a response or a session names, including that of its input transcription.
 */
function modelsNamedIn(part: JsonObject): readonly string[] {
  const audio = isObject(part['audio']) ? part['audio']['input'] : null;
  const transcriptions = [part['input_audio_transcription'], isObject(audio) ? audio['transcription'] : null];
  return [part, ...transcriptions]
    .filter(isObject)
    .flatMap((holder) => textAt(holder, 'model')?.replace(/^models\//, '') ?? []);
}

/** Returns the model that transcribes the user's input; null when none is named. */
export function transcriberOf(session: JsonObject): string | null {
  const { model: _, ...rest } = session;
  return modelsNamedIn(rest)[0] ?? null;
}

export const textAt = (holder: JsonObject, key: string): string | null => {
  const value = holder[key];
  return typeof value === 'string' ? value : null;
};

function objectOf(message: Buffer): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(message.toString('utf8'));
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
