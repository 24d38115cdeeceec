import { isObject } from '@gw/kernel';
import { listOf, objectsOf, type JsonObject } from '../json';
import { geminiResponse } from './gemini';
import { citations, content, contentPart, responsesItems, toolCalls } from './items';
import { FREE, PassageCollector, type Dialect, type Passage } from './passages';
import { realtimeEvent } from './realtime';

/**
 * Returns the texts of all choices of a response. The list is empty for a response of vectors or
 * scores.
 */
export function responsePassages(dialect: Dialect, body: unknown): readonly Passage[] {
  const collector = new PassageCollector();
  if (!isObject(body)) {
    collector.walk('other', { body }, 'body');
    return collector.passages();
  }
  READERS[dialect](collector, body);
  if (WITH_TEXTS.has(dialect)) collector.rest(body, dialect === 'responses' ? REQUEST : undefined);
  return collector.passages();
}

/** Dialects of which every response has texts. */
const WITH_TEXTS: ReadonlySet<Dialect> = new Set([
  'chat',
  'completions',
  'responses',
  'messages',
  'gemini',
  'realtime',
]);

/** Members of a response that repeat the request. */
export const REQUEST: ReadonlySet<string> = new Set([
  'instructions',
  'tools',
  'tool_choice',
  'metadata',
  'prompt',
  'text',
  'user',
  'safety_identifier',
  'prompt_cache_key',
]);

type Reader = (collector: PassageCollector, body: JsonObject) => void;

const READERS: Readonly<Record<Dialect, Reader>> = {
  chat(collector, body) {
    citations(collector, body);
    for (const choice of listOf(body['choices'])) {
      if (isObject(choice) && isObject(choice['message'])) chatResponse(collector, choice['message']);
      collector.unit++;
    }
  },
  completions(collector, body) {
    for (const choice of listOf(body['choices'])) {
      if (isObject(choice)) collector.take('assistant', choice, 'text');
      collector.unit++;
    }
  },
  embeddings: () => undefined,
  moderations: () => undefined,
  responses(collector, body) {
    responsesItems(collector, body['output']);
  },
  messages: (collector, body) => {
    content(collector, body, 'content', 'assistant');
  },
  gemini: geminiResponse,
  realtime: realtimeEvent,
  arguments: (collector, body) => {
    collector.walk('other', { body }, 'body', FREE);
  },
  json: (collector, body) => {
    collector.walk('other', { body }, 'body');
  },
};

function chatResponse(collector: PassageCollector, message: JsonObject): void {
  content(collector, message, 'content', 'assistant');
  collector.take('reasoning', message, 'reasoning_content');
  collector.take('reasoning', message, 'reasoning');
  // These blocks repeat the reasoning in the form that the provider expects back.
  for (const block of objectsOf(message['thinking_blocks'])) contentPart(collector, block, 'reasoning');
  for (const detail of objectsOf(message['reasoning_details'])) {
    collector.take('reasoning', detail, 'text');
    collector.take('reasoning', detail, 'summary');
  }
  collector.take('assistant', message, 'refusal');
  if (isObject(message['audio'])) collector.take('assistant', message['audio'], 'transcript');
  for (const block of objectsOf(message['content_blocks'])) contentPart(collector, block, 'assistant');
  citations(collector, message);
  toolCalls(collector, message);
}
