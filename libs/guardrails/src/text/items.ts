import { isObject } from '@gw/kernel';
import { listOf, type JsonObject } from '../json';
import { SEALED } from './no-text';
import { FREE, type PassageCollector, type PassageKind, type Walk } from './passages';

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

const DEFINITIONS = ['tools', 'functions', 'response_format', 'output_format', 'output_config', 'text'];

/**
 * Collects all texts of tool definitions and output formats, which a model reads as instructions at
 * every depth.
 */
export function tools(collector: PassageCollector, body: JsonObject): void {
  for (const key of DEFINITIONS) {
    if (isObject(body[key]) || Array.isArray(body[key])) collector.walk('tool_definition', body, key);
  }
  collector.unit++;
}

export function toolCalls(collector: PassageCollector, message: JsonObject): void {
  for (const call of listOf(message['tool_calls'])) {
    if (!isObject(call)) continue;
    if (isObject(call['function'])) namedCall(collector, call['function'], 'arguments');
    if (isObject(call['custom'])) namedCall(collector, call['custom'], 'input');
  }
  if (isObject(message['function_call'])) namedCall(collector, message['function_call'], 'arguments');
}

function namedCall(collector: PassageCollector, call: JsonObject, key: 'arguments' | 'input'): void {
  collector.take('tool_name', call, 'name');
  collector.walk('tool_call', call, key);
}

/** Members that choose tools by their names. */
const CHOICES = ['tool_choice', 'function_call', 'toolConfig', 'tool_config'];

/** Collects the names of the tools that a request allows or demands. */
export function toolChoice(collector: PassageCollector, body: JsonObject): void {
  for (const key of CHOICES) if (isObject(body[key])) collector.walk('tool_name', body, key, CHOSEN);
}

/** Collects the values of the variables of a saved prompt. */
export function promptVariables(collector: PassageCollector, prompt: unknown): void {
  const variables = isObject(prompt) ? prompt['variables'] : null;
  if (!isObject(variables)) return;
  for (const name of Object.keys(variables)) {
    const value = variables[name];
    if (isObject(value)) contentPart(collector, value, 'user');
    else collector.walk('user', variables, name);
  }
}

/**
 * Collects a text, or a list of parts. Image, audio and file data is not text. An object, as some
 * clients write the result of a tool, is read whole: a translation sends it as JSON text.
 */
export function content(
  collector: PassageCollector,
  holder: JsonObject,
  key: string,
  kind: PassageKind,
): void {
  const value = holder[key];
  if (typeof value === 'string') collector.take(kind, holder, key);
  else if (isObject(value))
    collector.walk(kind, holder, key, Object.hasOwn(value, 'type') ? undefined : FREE);
  else {
    const parts = listOf(value);
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (isObject(part)) contentPart(collector, part, kind);
      else collector.walk(kind, parts, index);
    }
  }
}

/** Members that hold no text for a model: names of types, ids, and sealed or encoded data. */
export const NO_TEXT: ReadonlySet<string> = new Set([
  ...SEALED,
  'type',
  'id',
  'call_id',
  'tool_use_id',
  'file_id',
  'status',
  'cache_control',
  'media_type',
]);

const WITHOUT_IDS: Walk = { without: NO_TEXT, isFree: false };
const CHOSEN: Walk = { without: new Set(['type', 'mode']), isFree: false };

/**
 * Members that name the sources of a response. Some providers write them next to the choices.
 */
export const CITATIONS = ['annotations', 'citations', 'search_results', 'related_questions'] as const;

/** Collects the sources of a text: their addresses, titles and quotations. */
export function citations(collector: PassageCollector, holder: JsonObject): void {
  for (const name of CITATIONS) collector.walk('citation', holder, name, WITHOUT_IDS);
}

/** Parts with data that is not text, perhaps next to a text. */
const MEDIA: ReadonlySet<unknown> = new Set([
  'image',
  'image_url',
  'input_image',
  'computer_screenshot',
  'audio',
  'audio_url',
  'input_audio',
  'output_audio',
  'video',
  'video_url',
  'input_video',
  'file',
  'input_file',
  'container_upload',
  'redacted_thinking',
]);

/** Parts of the text of a message. */
const TEXT: ReadonlySet<unknown> = new Set([
  'text',
  'input_text',
  'output_text',
  'summary_text',
  'reasoning_text',
  'refusal',
]);

/** Collects the texts of a part of a message; all texts of a part of an unknown type. */
export function contentPart(collector: PassageCollector, part: JsonObject, kind: PassageKind): void {
  const { type } = part;
  switch (type) {
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      collector.take('tool_name', part, 'server_name');
      namedCall(collector, part, 'input');
      return;
    case 'tool_result':
    case 'mcp_tool_result':
      content(collector, part, 'content', 'tool_result');
      return;
    case 'thinking':
      // Mistral writes a list of parts.
      content(collector, part, 'thinking', 'reasoning');
      return;
    case 'document':
      document(collector, part, kind);
      return;
    default:
      if (TEXT.has(type) || MEDIA.has(type)) plainPart(collector, part, kind);
      else otherPart(collector, part, /_result$/.test(String(type)) ? 'tool_result' : kind);
  }
}

function plainPart(collector: PassageCollector, part: JsonObject, kind: PassageKind): void {
  collector.take(kind, part, 'text');
  collector.take(kind, part, 'refusal');
  collector.take(kind, part, 'transcript');
  if (isObject(part['input_audio'])) collector.take(kind, part['input_audio'], 'transcript');
  citations(collector, part);
  for (const file of [part, part['file']]) if (isObject(file)) collector.take(kind, file, 'filename');
}

function otherPart(collector: PassageCollector, part: JsonObject, kind: PassageKind): void {
  for (const name of Object.keys(part)) {
    if (NO_TEXT.has(name)) continue;
    const value = part[name];
    if (name === 'source' && isObject(value)) documentSource(collector, value, kind);
    else collector.walk(kind, part, name, WITHOUT_IDS);
  }
}

function document(collector: PassageCollector, part: JsonObject, kind: PassageKind): void {
  collector.take(kind, part, 'title');
  collector.take(kind, part, 'context');
  if (isObject(part['source'])) documentSource(collector, part['source'], kind);
}

function documentSource(collector: PassageCollector, source: JsonObject, kind: PassageKind): void {
  if (source['type'] === 'text') collector.take(kind, source, 'data');
  else content(collector, source, 'content', kind);
}

/** Collects an item of the responses dialect, in a request or in a response. */
export function responsesItem(collector: PassageCollector, item: JsonObject): void {
  switch (item['type']) {
    case 'function_call':
      namedCall(collector, item, 'arguments');
      break;
    case 'custom_tool_call':
      namedCall(collector, item, 'input');
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
      toolItem(collector, item);
  }
  collector.unit++;
}

/** Collects all texts of a call or an output of a tool, or of both in one item. */
function toolItem(collector: PassageCollector, item: JsonObject): void {
  const isOutput = /_output$/.test(String(item['type']));
  for (const name of Object.keys(item)) {
    const isImage = name === 'result' && item['type'] === 'image_generation_call';
    if (NO_TEXT.has(name) || isImage) continue;
    collector.walk(isOutput || name === 'output' ? 'tool_result' : 'tool_call', item, name, WITHOUT_IDS);
  }
}

/** Collects the items of a list of the responses dialect. */
export function responsesItems(collector: PassageCollector, value: unknown): void {
  const items = listOf(value);
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (isObject(item)) responsesItem(collector, item);
    else {
      collector.walk('other', items, index);
      collector.unit++;
    }
  }
}
