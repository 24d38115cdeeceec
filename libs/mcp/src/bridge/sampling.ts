import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';

/** Bounds of what a server may send to a model: UTF-8 bytes of its request, and messages. */
const BYTES_MAX = 65_536;
const MESSAGES_MAX = 100;
const STOPS_MAX = 4;

/** The model that responds to a server's sampling requests. */
export interface SamplingModel {
  readonly model: string;
  /** Maximum number of tokens of a completion. */
  readonly maxTokens: number;
}

/**
 * Returns the chat completion request for a `sampling/createMessage`. It ignores the server's
 * preferences for models, because the call spends the caller's money. Null for a request that is
 * too long, that has tools, or whose content is neither text nor an image.
 */
export function samplingCompletion(
  params: JsonObject,
  { model, maxTokens }: SamplingModel,
): JsonObject | null {
  const messages = ownList(params, 'messages');
  const isBounded = Buffer.byteLength(JSON.stringify(params)) <= BYTES_MAX && messages.length <= MESSAGES_MAX;
  if (!isBounded || messages.length === 0 || own(params, 'tools') !== undefined) return null;
  const read = messages.map(chatMessage);
  if (read.includes(null)) return null;
  const system = own(params, 'systemPrompt');
  return {
    model,
    messages: [...(typeof system === 'string' ? [{ role: 'system', content: system }] : []), ...read],
    max_tokens: tokensOf(own(params, 'maxTokens'), maxTokens),
    ...choices(params),
  };
}

const tokensOf = (wanted: unknown, most: number): number =>
  typeof wanted === 'number' && wanted >= 1 ? Math.min(Math.trunc(wanted), most) : most;

function choices(params: JsonObject): JsonObject {
  const temperature = own(params, 'temperature');
  const stop = ownList(params, 'stopSequences').filter((each) => typeof each === 'string');
  return {
    ...(typeof temperature === 'number' && temperature >= 0 && temperature <= 2 && { temperature }),
    ...(stop.length > 0 && { stop: stop.slice(0, STOPS_MAX) }),
  };
}

function chatMessage(message: unknown): JsonObject | null {
  const role = isObject(message) ? own(message, 'role') : undefined;
  if (!isObject(message) || (role !== 'user' && role !== 'assistant')) return null;
  const content = own(message, 'content');
  const parts = (Array.isArray(content) ? (content as unknown[]) : [content]).map(chatPart);
  return parts.includes(null) ? null : { role, content: parts };
}

function chatPart(part: unknown): JsonObject | null {
  if (!isObject(part)) return null;
  const { type, text, data, mimeType } = part;
  if (type === 'text' && typeof text === 'string') return { type, text };
  const isImage = type === 'image' && typeof data === 'string' && /^image\/[\w.+-]+$/.test(String(mimeType));
  return isImage
    ? { type: 'image_url', image_url: { url: `data:${String(mimeType)};base64,${data}` } }
    : null;
}

const STOP_REASONS: Readonly<Record<string, string>> = { stop: 'endTurn', length: 'maxTokens' };

/**
 * Returns the result of `sampling/createMessage` for a chat completion; null for a completion
 * without text.
 */
export function sampledMessage(completion: JsonObject): JsonObject | null {
  const [choice] = ownList(completion, 'choices');
  if (!isObject(choice)) return null;
  const text = own(ownObject(choice, 'message'), 'content');
  const reason = String(own(choice, 'finish_reason'));
  if (typeof text !== 'string') return null;
  return {
    ...{ role: 'assistant', model: String(own(completion, 'model')), content: { type: 'text', text } },
    ...(Object.hasOwn(STOP_REASONS, reason) && { stopReason: STOP_REASONS[reason] }),
  };
}
