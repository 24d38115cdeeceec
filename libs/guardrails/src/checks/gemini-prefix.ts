import { isObject } from '@gw/kernel';
import { listOf, type JsonObject } from '../json';

/** Parameters of `default.addPrefix`. */
export interface PrefixParameters {
  readonly prefix: string;
  readonly applyToRole: 'user' | 'assistant' | 'system' | 'developer';
  readonly addToExisting: boolean;
  readonly onlyIfEmpty: boolean;
}

/**
 * Returns Gemini's body with a prefix before its last content of a role; null when nothing is to be
 * changed.
 */
export function prefixedGemini(body: JsonObject, parameters: PrefixParameters): JsonObject | null {
  const { applyToRole } = parameters;
  return applyToRole === 'system' || applyToRole === 'developer'
    ? withSystem(body, parameters)
    : withContent(body, applyToRole === 'assistant' ? 'model' : 'user', parameters);
}

function withSystem(body: JsonObject, { prefix, onlyIfEmpty }: PrefixParameters): JsonObject | null {
  const key = body['system_instruction'] === undefined ? 'systemInstruction' : 'system_instruction';
  const given = body[key];
  const parts = partsOf(given);
  if (parts.length > 0 && onlyIfEmpty) return null;
  return { ...body, [key]: { ...(isObject(given) ? given : {}), parts: [{ text: prefix }, ...parts] } };
}

function withContent(
  body: JsonObject,
  role: 'user' | 'model',
  parameters: PrefixParameters,
): JsonObject | null {
  const { prefix, addToExisting, onlyIfEmpty } = parameters;
  const contents = Array.isArray(body['contents']) ? [...listOf(body['contents'])] : [body['contents']];
  const at = contents.findLastIndex((content) => isObject(content) && (content['role'] ?? 'user') === role);
  const content = contents[at];
  if (isObject(content) && onlyIfEmpty) return null;
  if (isObject(content) && addToExisting) {
    contents[at] = { ...content, parts: [{ text: prefix }, ...partsOf(content)] };
  } else contents.splice(at === -1 ? contents.length : at, 0, { role, parts: [{ text: prefix }] });
  return { ...body, contents: contents.filter((one) => one !== undefined) };
}

function partsOf(content: unknown): readonly unknown[] {
  if (!isObject(content)) return typeof content === 'string' && content !== '' ? [{ text: content }] : [];
  const { parts } = content;
  return Array.isArray(parts) ? listOf(parts) : isObject(parts) ? [parts] : [];
}
