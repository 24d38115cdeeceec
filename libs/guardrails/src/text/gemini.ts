import { isObject } from '@gw/kernel';
import { listOf, objectsOf, type JsonObject } from '../json';
import { kindOf, toolChoice } from './items';
import type { PassageCollector, PassageKind, Walk } from './passages';

/** Google accepts each member in camel case and in snake case. */
const SYSTEM = ['systemInstruction', 'system_instruction'] as const;
const NESTED = ['generateContentRequest', 'generate_content_request'] as const;
const CALLS = [
  'functionCall',
  'function_call',
  'executableCode',
  'executable_code',
  'toolCall',
  'tool_call',
] as const;
const RESULTS = [
  'functionResponse',
  'function_response',
  'codeExecutionResult',
  'code_execution_result',
  'toolResponse',
  'tool_response',
] as const;
const SETTINGS = ['generationConfig', 'generation_config'] as const;
const SCHEMAS = [
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'response_json_schema',
  '_responseJsonSchema',
] as const;

/**
 * Collects the texts of a Gemini request: contents to respond to, to count tokens of, or to embed.
 */
export function geminiRequest(collector: PassageCollector, body: JsonObject): void {
  collector.walk('tool_definition', body, 'tools');
  toolChoice(collector, body);
  for (const settings of SETTINGS.map((key) => body[key]).filter(isObject))
    for (const key of SCHEMAS) collector.walk('tool_definition', settings, key);
  collector.unit++;
  for (const key of SYSTEM) turn(collector, body, key, 'system');
  // Gemini accepts a single content instead of a list.
  if (Array.isArray(body['contents'])) turns(collector, body['contents'], 'user');
  else turn(collector, body, 'contents', 'user');
  embedded(collector, body);
  for (const request of objectsOf(body['requests'])) embedded(collector, request);
  for (const key of NESTED) if (isObject(body[key])) geminiRequest(collector, body[key]);
}

/** Collects the content and the title of a request for an embedding. */
function embedded(collector: PassageCollector, request: JsonObject): void {
  if (typeof request['title'] === 'string') {
    collector.take('user', request, 'title');
    collector.unit++;
  }
  turn(collector, request, 'content', 'user');
}

/** Members of a candidate with the sources of its text. */
export const GEMINI_CITATIONS = ['citationMetadata', 'groundingMetadata', 'urlContextMetadata'] as const;
/** The supports of a grounding repeat parts of the text. */
const SOURCES: Walk = { without: new Set(['groundingSupports']), isFree: false };

/** Collects the texts of all candidates, and their sources. */
export function geminiResponse(collector: PassageCollector, body: JsonObject): void {
  for (const candidate of objectsOf(body['candidates'])) {
    turn(collector, candidate, 'content', 'assistant');
    for (const name of GEMINI_CITATIONS) collector.walk('citation', candidate, name, SOURCES);
  }
}

function turns(collector: PassageCollector, contents: readonly unknown[], kind: PassageKind): void {
  for (let index = 0; index < contents.length; index++) turn(collector, contents, index, kind);
}

/** Collects a content: an object, or a text. */
function turn(
  collector: PassageCollector,
  holder: object,
  key: string | number,
  defaultKind: PassageKind,
): void {
  const value = (holder as Readonly<Record<string | number, unknown>>)[key];
  if (isObject(value)) {
    const kind = kindOf(value, defaultKind);
    if (isObject(value['parts'])) readPart(collector, value['parts'], kind);
    const parts = listOf(value['parts']);
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (isObject(part)) readPart(collector, part, kind);
      else collector.walk(kind, parts, index);
    }
  } else collector.walk(defaultKind, holder, key);
  collector.unit++;
}

function readPart(collector: PassageCollector, part: JsonObject, kind: PassageKind): void {
  collector.take(part['thought'] === true ? 'reasoning' : kind, part, 'text');
  for (const key of CALLS) toolPart(collector, part[key], 'tool_call');
  for (const key of RESULTS) toolPart(collector, part[key], 'tool_result');
}

/** Collects a call or a result: its name, and all texts of its other members. */
function toolPart(collector: PassageCollector, value: unknown, kind: 'tool_call' | 'tool_result'): void {
  if (!isObject(value)) return;
  collector.take('tool_name', value, 'name');
  for (const name of Object.keys(value)) if (name !== 'name') collector.walk(kind, value, name);
}
