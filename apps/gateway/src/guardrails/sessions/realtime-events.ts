import { Buffer, isUtf8 } from 'node:buffer';
import { type GatewayError, isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { uuidv7 } from '@gw/kernel';
import type { HookResults } from '@gw/guardrails';
import { RESPONSE_READ_WHOLE, exceededBy } from '../../bodies/read-whole';

/**
 * A message as guardrails see it: its JSON object, or its text as the single member of an object.
 */
export interface SeenMessage {
  readonly value: JsonObject;
  readonly isText: boolean;
}

/**
 * Parses a message; null when it is not UTF-8. The frame type does not matter. A message with too
 * many members or values for one turn of the event loop is treated as text.
 */
export function seenMessage(message: Buffer): SeenMessage | null {
  if (!isUtf8(message)) return null;
  const text = message.toString('utf8');
  if (exceededBy(message, RESPONSE_READ_WHOLE) !== null) return { value: { text }, isText: true };
  try {
    const value = JSON.parse(text) as unknown;
    if (isObject(value)) return { value, isText: false };
  } catch {
    // Text that is not JSON is judged as plain text.
  }
  return { value: { text }, isText: true };
}

const [OBJECT, LIST] = [0x7b, 0x5b] as const;
/** The bytes of white space in JSON. */
const SPACES: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/**
 * Whether a message that is not UTF-8 is JSON nevertheless, for a parser that replaces or leaves
 * out the invalid bytes. Guardrails cannot tell what such a parser reads.
 */
export function isBrokenJson(message: Buffer): boolean {
  const first = message.find((byte) => !SPACES.has(byte));
  if ((first !== OBJECT && first !== LIST) || isUtf8(message)) return false;
  try {
    JSON.parse(message.toString('latin1'));
    return true;
  } catch {
    return false;
  }
}

export const messageOf = (value: unknown, isText: boolean): Buffer =>
  Buffer.from(isText ? String((value as { text: unknown }).text) : JSON.stringify(value));

const stringAt = (holder: JsonObject, key: string): string | null => {
  const value = holder[key];
  return typeof value === 'string' ? value : null;
};

/**
 * Returns the id of the response that a provider event belongs to; null when it belongs to none.
 */
export const responseIdOf = (event: JsonObject): string | null =>
  stringAt(event, 'response_id') ?? (isObject(event['response']) ? stringAt(event['response'], 'id') : null);

export const itemIdOf = (event: JsonObject): string | null =>
  stringAt(event, 'item_id') ?? (isObject(event['item']) ? stringAt(event['item'], 'id') : null);

/** True for a provider's transcript of the user's speech. */
export const isTranscript = ({ type }: JsonObject): boolean =>
  type === 'conversation.item.input_audio_transcription.completed';

export const isSound = ({ type }: JsonObject): boolean =>
  typeof type === 'string' && /audio\.delta$/.test(type);

/**
 * Types of provider events without model output: the session's state, and repetitions of the
 * client's input.
 */
const SILENT =
  /^(?:session\.|transcription_session\.|error$|rate_limits\.|input_audio_buffer\.|output_audio_buffer\.|mcp_list_tools\.|conversation\.created$|conversation\.item\.(?:deleted$|truncated$|input_audio_transcription\.))/;

export function isSilent(event: JsonObject): boolean {
  const { type, item } = event;
  if (typeof type !== 'string') return false;
  if (SILENT.test(type)) return true;
  if (!type.startsWith('conversation.item.') || !isObject(item)) return false;
  return item['role'] === 'user' || item['role'] === 'system' || CLIENT_ITEMS.has(item['type']);
}

/** Item types that only clients create; the provider repeats them. */
const CLIENT_ITEMS: ReadonlySet<unknown> = new Set(['function_call_output', 'mcp_approval_response']);

const eventId = (): string => `event_${uuidv7()}`;

export const resultsEvent = (results: HookResults): Buffer =>
  Buffer.from(JSON.stringify({ type: 'hook_results', event_id: eventId(), hook_results: results }));

/**
 * Creates an error event for the client. `cause` is the id of the client event that caused the
 * error; any other value counts as none.
 */
export function errorMessage(error: GatewayError, requestId: string, cause: unknown): Buffer {
  const { error: reported, ...background } = error.toBody(requestId);
  const about = typeof cause === 'string' ? cause : null;
  return Buffer.from(
    JSON.stringify({
      type: 'error',
      event_id: eventId(),
      error: { ...reported, event_id: about },
      ...background,
    }),
  );
}
