import { isObject } from '@gw/kernel';
import { listOf, type JsonObject } from '../json';
import { content, kindOf, responsesItem, toolCalls, tools } from './items';
import { PassageCollector, type Dialect, type Passage, type PassageKind } from './passages';
import { geminiRequest } from './gemini';
import { realtimeEvent } from './realtime';

/** Returns the texts of a request in order. A body of unknown shape is searched for any text. */
export function requestPassages(dialect: Dialect, body: unknown): readonly Passage[] {
  const collector = new PassageCollector();
  if (!isObject(body)) {
    collector.walk('other', { body }, 'body');
    return collector.found;
  }
  READERS[dialect](collector, body);
  return collector.found;
}

type Reader = (collector: PassageCollector, body: JsonObject) => void;

const READERS: Readonly<Record<Dialect, Reader>> = {
  chat(collector, body) {
    tools(collector, body);
    for (const message of listOf(body['messages'])) chatMessage(collector, message);
  },
  completions(collector, body) {
    everyText(collector, body, 'prompt', 'user');
    collector.take('user', body, 'suffix');
  },
  embeddings: (collector, body) => {
    everyText(collector, body, 'input', 'user');
  },
  moderations: (collector, body) => {
    everyText(collector, body, 'input', 'user');
  },
  responses(collector, body) {
    tools(collector, body);
    collector.take('system', body, 'instructions');
    collector.unit++;
    if (typeof body['input'] === 'string') collector.take('user', body, 'input');
    else for (const item of listOf(body['input'])) responsesItem(collector, item);
  },
  messages(collector, body) {
    tools(collector, body);
    content(collector, body, 'system', 'system');
    collector.unit++;
    for (const message of listOf(body['messages'])) chatMessage(collector, message);
  },
  gemini: geminiRequest,
  realtime: realtimeEvent,
  json: (collector, body) => {
    collector.walk('other', { body }, 'body');
  },
};

/**
 * Adds each text of a list as its own unit: lists of these dialects are separate inputs, not parts
 * of one.
 */
function everyText(collector: PassageCollector, body: JsonObject, key: string, kind: PassageKind): void {
  const value = body[key];
  if (!Array.isArray(value)) {
    collector.walk(kind, body, key);
    return;
  }
  for (let index = 0; index < value.length; index++) {
    collector.walk(kind, value, index);
    collector.unit++;
  }
}

function chatMessage(collector: PassageCollector, message: unknown): void {
  if (isObject(message)) {
    const kind = kindOf(message);
    content(collector, message, 'content', kind);
    collector.take('reasoning', message, 'reasoning_content');
    collector.take('reasoning', message, 'reasoning');
    collector.take('assistant', message, 'refusal');
    toolCalls(collector, message);
  }
  collector.unit++;
}
