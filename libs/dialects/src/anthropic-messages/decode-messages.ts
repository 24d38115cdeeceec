import type { JsonObject, Part, SystemPart, Turn } from '../call';
import { invalid } from '../losses';
import { membersBesides, optional, read } from '../values/json';
import { decodeBlocks } from './decode-parts';
import { extensions } from './paths';
import { unpackCarriers } from './seals';

/**
 * Maximum number of messages and blocks of one request, which are translated in one turn of the
 * event loop.
 */
const ENTRIES_MAX = 20_000;

const MESSAGE: ReadonlySet<string> = new Set(['role', 'content']);

/**
 * Decodes `system` and `messages`. A system message in front of all others belongs to the system
 * text.
 */
export function decodeMessages(body: JsonObject): { system: SystemPart[]; turns: Turn[] } {
  const messages = read.objects(body['messages'], 'messages') ?? [];
  if (messages.length === 0) throw invalid('messages', 'messages must be a list with at least one message.');
  refuseTooMany(body['system'], messages);
  const system = systemParts(decodeBlocks(body['system'], 'system'), 'system');
  const turns: Turn[] = [];
  messages.forEach((message, index) => {
    const at = `messages.${String(index)}`;
    const turn = decodeTurn(message, at);
    if (turn.role === 'system' && turns.length === 0) {
      for (const part of systemParts(turn.parts, at)) system.push(part);
    } else turns.push(turn);
  });
  if (turns.length === 0) throw invalid('messages', 'messages must have a user message.');
  return { system, turns: withPrefill(turns) };
}

function refuseTooMany(system: unknown, messages: readonly JsonObject[]): void {
  let entries = messages.length + (Array.isArray(system) ? system.length : 0);
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    entries += content.length;
    for (const block of content as unknown[]) entries += nested(block);
    if (entries > ENTRIES_MAX) break;
  }
  if (entries > ENTRIES_MAX) {
    throw invalid('messages', `At most ${String(ENTRIES_MAX)} messages and blocks can be translated.`);
  }
}

/** Number of blocks inside a tool result, a search result, or a document. */
function nested(block: unknown): number {
  const { content, source } = (block ?? {}) as JsonObject;
  const inner = Array.isArray(content) ? content : ((source ?? {}) as JsonObject)['content'];
  return Array.isArray(inner) ? inner.length : 0;
}

function systemParts(parts: readonly Part[], path: string): SystemPart[] {
  return parts.map((part) => {
    if (part.kind !== 'text') throw invalid(part.at ?? path, 'A system text has text blocks only.');
    const { text, cache, x, at } = part;
    return {
      role: 'system',
      text,
      ...optional('cache', cache),
      ...optional('x', x),
      ...optional('at', at),
    };
  });
}

function decodeTurn(message: JsonObject, at: string): Turn {
  const { role } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw invalid(`${at}.role`, `${at}.role must be user, assistant or system.`);
  if (message['content'] === undefined || message['content'] === null)
    throw invalid(`${at}.content`, `${at}.content is required: a text or a list of blocks.`);
  return {
    role,
    parts: unpackCarriers(decodeBlocks(message['content'], `${at}.content`)),
    ...extensions(membersBesides(message, MESSAGE)),
    at,
  };
}

/** Marks a last assistant turn that ends in text as the start of the response. */
function withPrefill(turns: Turn[]): Turn[] {
  const last = turns.at(-1);
  if (last?.role === 'assistant' && last.parts.at(-1)?.kind === 'text')
    turns[turns.length - 1] = { ...last, prefill: true };
  return turns;
}
