import { GUARDRAIL_LIMITS, isLeftOut, NO_TEXT, type StreamChannel } from '@gw/guardrails';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { textAt, type EventText } from './stream-dialect';

/** Whether an event is nested too deeply to be judged. */
export const isTooDeep = (value: unknown, levels: number = GUARDRAIL_LIMITS.bodyDepthMax): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((item) => isTooDeep(item, levels - 1)));

/**
 * Returns a value that an event has whole, such as the result of a hosted tool, as one text: its
 * JSON without ids and sealed data. A changed text that is no JSON removes what the value says.
 */
export function jsonAt(holder: JsonObject, key: string, channel: StreamChannel): readonly EventText[] {
  const value = holder[key];
  if (typeof value !== 'object' || value === null) return textAt(holder, key, channel);
  const text = JSON.stringify(value, (name, item: unknown) => (isLeftOut(name, item) ? undefined : item));
  if (text === '{}' || text === '[]') return [];
  return [
    {
      channel,
      text,
      holder,
      key,
      set: (other) => {
        holder[key] = merged(value, parsed(other));
      },
    },
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the changed value with the ids and the sealed data of the value. */
function merged(value: unknown, changed: unknown): unknown {
  if (Array.isArray(value))
    return Array.isArray(changed) ? changed.map((item, at) => merged((value as unknown[])[at], item)) : [];
  if (!isObject(value)) return changed;
  const next = isObject(changed) ? changed : {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      if (isLeftOut(name, item)) return [[name, item]];
      return Object.hasOwn(next, name) ? [[name, merged(item, next[name])]] : [];
    }),
  );
}

/** A text below a value, and the names of the members that lead to it. */
export interface Leaf {
  readonly path: readonly string[];
  readonly holder: JsonObject;
  readonly key: string;
}

/** Yields the texts below `holder[key]`, of an event that is not too deep. The items of a list have the path of the list. */
export function* leavesOf(holder: JsonObject, key: string, path: readonly string[] = [key]): Generator<Leaf> {
  const value = holder[key];
  if (typeof value === 'string') yield { path, holder, key };
  else if (Array.isArray(value)) {
    for (const at of value.keys())
      yield* leavesOf(value as unknown as JsonObject, String(at), [...path, LIST]);
  } else if (isObject(value)) {
    for (const name of Object.keys(value))
      if (!NO_TEXT.has(name)) yield* leavesOf(value, name, [...path, name]);
  }
}

/** Name of the items of a list in a path. */
const LIST = '[]';

/** Returns an object with a text at a path. */
export const objectWith = (path: readonly string[], text: string): JsonObject =>
  path.reduceRight<unknown>(
    (value, name) => (name === LIST ? [value] : { [name]: value }),
    text,
  ) as JsonObject;
