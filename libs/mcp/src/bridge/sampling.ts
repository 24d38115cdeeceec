import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';

/** Maximum size of a server's request in bytes of its JSON. */
const BYTES_MAX = 65_536;
/** Maximum number of messages in a server's request. */
const MESSAGES_MAX = 100;
/** Number of stop sequences that are used; further ones are ignored. */
const STOPS_MAX = 4;

/** The model that responds to a server's sampling requests. */
export interface SamplingModel {
  readonly model: string;
  /**
   * Maximum number of tokens of a completion, and their number when the server sends no valid
   * `maxTokens`.
   */
  readonly maxTokens: number;
}

/**
 * Returns the chat completion request for a `sampling/createMessage`. It ignores the server's
 * preferences for models, because the call spends the caller's money, and leaves out a temperature
 * outside 0 to 2. Null for a request that is too long, has tools, no messages or too many, a role
 * other than `user` and `assistant`, or any content other than text and images.
 */
export function samplingCompletion(
  params: JsonObject,
  { model, maxTokens }: SamplingModel,
): JsonObject | null {
  const messages = ownList(params, 'messages');
  const isBounded = Buffer.byteLength(JSON.stringify(params)) <= BYTES_MAX && messages.length <= MESSAGES_MAX;
  if (!isBounded || messages.length === 0 || own(params, 'tools') !== undefined) return null;
  const chatMessages = messages.map(chatMessage);
  if (chatMessages.includes(null)) return null;
  const system = own(params, 'systemPrompt');
  return {
    model,
    messages: [...(typeof system === 'string' ? [{ role: 'system', content: system }] : []), ...chatMessages],
    max_tokens: tokensOf(own(params, 'maxTokens'), maxTokens),
    ...samplingParameters(params),
  };
}

const tokensOf = (wanted: unknown, most: number): number =>
  typeof wanted === 'number' && wanted >= 1 ? Math.min(Math.trunc(wanted), most) : most;

function samplingParameters(params: JsonObject): JsonObject {
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
 * Returns the result of `sampling/createMessage` for the first choice of a chat completion; null
 * for a choice without text. It has a `stopReason` only for the finish reasons in `STOP_REASONS`.
 * `requested` is named when the completion names no model.
 */
export function sampledMessage(completion: JsonObject, requested: SamplingModel): JsonObject | null {
  const [choice] = ownList(completion, 'choices');
  if (!isObject(choice)) return null;
  const text = own(ownObject(choice, 'message'), 'content');
  const reason = String(own(choice, 'finish_reason'));
  if (typeof text !== 'string') return null;
  return {
    ...{ role: 'assistant', model: modelName(completion, requested), content: { type: 'text', text } },
    ...(Object.hasOwn(STOP_REASONS, reason) && { stopReason: STOP_REASONS[reason] }),
  };
}

/** The server does not learn the workspace's name of the provider, `@provider/`. */
function modelName(completion: JsonObject, { model: requested }: SamplingModel): string {
  const model = own(completion, 'model');
  return typeof model === 'string' && model !== '' ? model : requested.replace(/^@[^/]*\//, '');
}
