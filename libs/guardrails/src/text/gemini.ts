import { isObject } from '@gw/kernel';
import { listOf, objectsOf, type JsonObject } from '../json';
import { kindOf } from './items';
import type { PassageCollector, PassageKind } from './passages';

/** Google accepts each member in camel case and in snake case. */
const SYSTEM = ['systemInstruction', 'system_instruction'] as const;
const NESTED = ['generateContentRequest', 'generate_content_request'] as const;
const CALLS = ['functionCall', 'function_call', 'executableCode', 'executable_code'] as const;
const RESULTS = [
  'functionResponse',
  'function_response',
  'codeExecutionResult',
  'code_execution_result',
] as const;

/**
 * Collects the texts of a Gemini request: contents to respond to, to count tokens of, or to embed.
 */
export function geminiRequest(collector: PassageCollector, body: JsonObject): void {
  collector.walk('tool_definition', body, 'tools');
  collector.unit++;
  for (const key of SYSTEM) turn(collector, body[key], 'system');
  // Gemini accepts a single content instead of a list.
  const contents = Array.isArray(body['contents']) ? listOf(body['contents']) : [body['contents']];
  for (const content of [...contents, body['content']]) turn(collector, content, 'user');
  for (const request of objectsOf(body['requests'])) turn(collector, request['content'], 'user');
  for (const key of NESTED) if (isObject(body[key])) geminiRequest(collector, body[key]);
}

/** Collects the texts of all candidates. */
export function geminiResponse(collector: PassageCollector, body: JsonObject): void {
  for (const { content } of objectsOf(body['candidates'])) turn(collector, content, 'assistant');
}

function turn(collector: PassageCollector, content: unknown, defaultKind: PassageKind): void {
  if (isObject(content)) {
    const kind = kindOf(content, defaultKind);
    const parts = Array.isArray(content['parts']) ? listOf(content['parts']) : [content['parts']];
    for (const part of parts) if (isObject(part)) readPart(collector, part, kind);
  } else if (typeof content === 'string') collector.walk(defaultKind, [content], 0);
  collector.unit++;
}

function readPart(collector: PassageCollector, part: JsonObject, kind: PassageKind): void {
  collector.take(part['thought'] === true ? 'reasoning' : kind, part, 'text');
  for (const key of CALLS) if (isObject(part[key])) collector.walk('tool_call', part, key);
  for (const key of RESULTS) if (isObject(part[key])) collector.walk('tool_result', part, key);
}
