import { isObject } from '@gw/kernel';
import { listOf, type JsonObject } from '../json';
import type { PassageCollector, PassageKind } from './passages';

const ROLES: ReadonlyMap<string, PassageKind> = new Map<string, PassageKind>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool_result'],
  ['function', 'tool_result'],
]);

/** Returns the kind of the texts of a message, from its role; `fallback` for an unknown role. */
export const kindOf = ({ role }: JsonObject, fallback: PassageKind = 'other'): PassageKind =>
  ROLES.get(String(role)) ?? fallback;

/**
 * Collects all texts of tool definitions and output formats, which a model reads as instructions at
 * every depth.
 */
export function tools(collector: PassageCollector, body: JsonObject): void {
  for (const key of ['tools', 'functions', 'response_format', 'text']) {
    if (isObject(body[key]) || Array.isArray(body[key])) collector.walk('tool_definition', body, key);
  }
  collector.unit++;
}

export function toolCalls(collector: PassageCollector, message: JsonObject): void {
  for (const call of listOf(message['tool_calls'])) {
    if (!isObject(call)) continue;
    if (isObject(call['function'])) collector.walk('tool_call', call['function'], 'arguments');
    if (isObject(call['custom'])) collector.walk('tool_call', call['custom'], 'input');
  }
  if (isObject(message['function_call'])) collector.walk('tool_call', message['function_call'], 'arguments');
}

/** Collects a text, or a list of parts. Image, audio and file data is not text. */
export function content(
  collector: PassageCollector,
  holder: JsonObject,
  key: string,
  kind: PassageKind,
): void {
  const value = holder[key];
  if (typeof value === 'string') {
    collector.take(kind, holder, key);
    return;
  }
  const parts = listOf(value);
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (typeof part === 'string') collector.take(kind, parts, index);
    else if (isObject(part)) contentPart(collector, part, kind);
  }
}

function contentPart(collector: PassageCollector, part: JsonObject, kind: PassageKind): void {
  switch (part['type']) {
    case 'tool_use':
    case 'server_tool_use':
      collector.walk('tool_call', part, 'input');
      return;
    case 'tool_result':
      content(collector, part, 'content', 'tool_result');
      return;
    case 'thinking':
      collector.take('reasoning', part, 'thinking');
      return;
    case 'document':
      document(collector, part, kind);
      return;
    default:
      collector.take(kind, part, 'text');
      collector.take(kind, part, 'refusal');
      collector.take(kind, part, 'transcript');
      if (isObject(part['input_audio'])) collector.take(kind, part['input_audio'], 'transcript');
  }
}

function document(collector: PassageCollector, part: JsonObject, kind: PassageKind): void {
  collector.take(kind, part, 'title');
  collector.take(kind, part, 'context');
  const source = part['source'];
  if (!isObject(source)) return;
  if (source['type'] === 'text') collector.take(kind, source, 'data');
  else content(collector, source, 'content', kind);
}

/** Collects an item of the responses dialect, in a request or in a response. */
export function responsesItem(collector: PassageCollector, item: unknown): void {
  if (typeof item === 'object' && item !== null && isObject(item)) {
    switch (item['type']) {
      case 'function_call':
        collector.take('tool_call', item, 'arguments');
        break;
      case 'custom_tool_call':
        collector.take('tool_call', item, 'input');
        break;
      case 'reasoning':
        content(collector, item, 'summary', 'reasoning');
        content(collector, item, 'content', 'reasoning');
        break;
      case undefined:
      case 'message':
        content(collector, item, 'content', kindOf(item));
        break;
      default:
        if ('output' in item) collector.walk('tool_result', item, 'output');
        else collector.walk('tool_call', { item }, 'item');
    }
  }
  collector.unit++;
}
