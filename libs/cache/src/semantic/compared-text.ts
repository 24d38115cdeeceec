import { isObject } from '@gw/kernel';

/** The text of a request that is compared semantically, and the rest of it, which must be equal. */
export interface ComparedText {
  readonly text: string;
  /** The body without the text, as JSON with members in the caller's order. */
  readonly rest: string;
}

/** Maximum characters; a longer text has too many meanings to be compared as one. */
const TEXT_LENGTH_MAX = 8_000;
/** Replaces the compared text in the rest. */
const PLACEHOLDER = null;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns the text of a request that is embedded: the last user message, if it is the last message
 * of all and plain text.
 * System prompt, earlier messages and parameters must be equal, which `rest` ensures. Null, so that
 * only the exact cache is used, when the response depends on more than this text: tools, images,
 * audio or files anywhere, a prompt that is not a single text, or families without a prompt.
 */
export function comparedText(route: string, body: unknown): ComparedText | null {
  if (!isObject(body) || usesTools(body)) return null;
  switch (route) {
    case 'chat.completions':
    case 'messages':
      return lastMessage(body, 'messages');
    case 'responses':
      return typeof body['input'] === 'string' ? member(body, 'input') : lastMessage(body, 'input');
    case 'completions':
      return member(body, 'prompt');
    default:
      return null;
  }
}

const TOOL_MEMBERS = [
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'modalities',
  'audio',
  'attachments',
];

const usesTools = (body: JsonObject): boolean =>
  TOOL_MEMBERS.some((name) => body[name] !== undefined && body[name] !== null);

function member(body: JsonObject, name: string): ComparedText | null {
  return compared(body[name], () => ({ ...body, [name]: PLACEHOLDER }));
}

function lastMessage(body: JsonObject, name: string): ComparedText | null {
  const messages: unknown = body[name];
  if (!Array.isArray(messages) || !messages.every(isPlain)) return null;
  const last = messages.at(-1);
  if (last?.['role'] !== 'user') return null;
  const before = messages.slice(0, -1) as unknown[];
  return compared(textOf(last['content']), () => ({
    ...body,
    [name]: [...before, { ...last, content: PLACEHOLDER }],
  }));
}

function compared(text: unknown, rest: () => JsonObject): ComparedText | null {
  if (typeof text !== 'string' || text.length > TEXT_LENGTH_MAX || text.trim() === '') return null;
  return { text, rest: JSON.stringify(rest()) };
}

/** Whether a message is only text, without calls, results, images, sound or reasoning. */
function isPlain(message: unknown): message is JsonObject {
  if (!isObject(message)) return false;
  if (message['tool_calls'] !== undefined || message['function_call'] !== undefined) return false;
  if (message['role'] === 'tool' || message['role'] === 'function') return false;
  if (message['type'] !== undefined && message['type'] !== 'message') return false;
  return textOf(message['content']) !== null;
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** Returns the text of a message's content; null when it is not only text. */
function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts: string[] = [];
  for (const part of content as unknown[]) {
    if (!isObject(part) || !TEXT_PARTS.has(part['type']) || typeof part['text'] !== 'string') return null;
    texts.push(part['text']);
  }
  return texts.join('\n');
}
