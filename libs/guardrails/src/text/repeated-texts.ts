import { isObject } from '@gw/kernel';
import { type JsonObject } from '../json';
import type { Dialect } from './passages';

/**
 * Returns a response without the members that repeat its texts in another form: the probabilities
 * of tokens, and the segments that sources support. They would show what an edit has replaced.
 */
export function withoutRepeats(dialect: Dialect, body: unknown): unknown {
  if (!isObject(body)) return body;
  switch (dialect) {
    case 'chat':
    case 'completions':
      return each(body, 'choices', (choice) => without(choice, 'logprobs', null));
    case 'responses':
      return each(body, 'output', (item) => each(item, 'content', (part) => without(part, 'logprobs', [])));
    case 'gemini':
      return each(body, 'candidates', (candidate) =>
        withGrounding(without(candidate, 'logprobsResult', undefined)),
      );
    case 'arguments':
    case 'embeddings':
    case 'json':
    case 'messages':
    case 'moderations':
    case 'realtime':
      return body;
  }
}

function withGrounding(candidate: JsonObject): JsonObject {
  const { groundingMetadata: grounding } = candidate;
  return isObject(grounding)
    ? { ...candidate, groundingMetadata: without(grounding, 'groundingSupports', undefined) }
    : candidate;
}

/** Returns an object with the objects of a list replaced; the object itself when there is no list. */
function each(holder: JsonObject, key: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const list = holder[key];
  return Array.isArray(list)
    ? { ...holder, [key]: list.map((item: unknown) => (isObject(item) ? change(item) : item)) }
    : holder;
}

/** Returns an object with a member replaced, or left out; the object itself when it has no value. */
function without(holder: JsonObject, key: string, replacement: unknown): JsonObject {
  if (holder[key] === undefined || holder[key] === null) return holder;
  const { [key]: _, ...rest } = holder;
  return replacement === undefined ? rest : { ...holder, [key]: replacement };
}
