import { isObject } from '@gw/kernel';
import { isRawNumber, type Members } from './members';

/** Members that lead to parts in both versions. Other members are not searched. */
const HOLDERS = [
  ...['message', 'status', 'artifact', 'task', 'statusUpdate', 'artifactUpdate'],
  ...['artifacts', 'history', 'tasks', 'msg', 'update', 'request'],
];
/** Names of lists of parts; `content` is that of the protocol buffers of 0.3. */
const PARTS = ['parts', 'content'];

/**
 * Returns the texts of all parts of a value of A2A, such as a message, a task or an event of either
 * version: texts, and the strings in data parts, without files.
 */
export function partTexts(value: unknown): readonly string[] {
  const texts: string[] = [];
  mapParts(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Returns the value with the texts of its parts replaced. The value itself does not change. */
export const withPartTexts = <T>(value: T, edit: (text: string) => string): T => mapParts(value, edit) as T;

type Edit = (text: string) => string;

function mapParts(value: unknown, edit: Edit): unknown {
  if (Array.isArray(value)) return value.map((item) => mapParts(item, edit));
  if (!isObject(value)) return value;
  const changed: Record<string, unknown> = { ...value };
  for (const name of HOLDERS) if (Object.hasOwn(value, name)) changed[name] = mapParts(value[name], edit);
  for (const name of PARTS) {
    const parts: unknown = value[name];
    if (Array.isArray(parts))
      changed[name] = (parts as readonly unknown[]).map((part) =>
        isObject(part) ? editedPart(part, edit) : part,
      );
  }
  return changed;
}

function editedPart(part: Members, edit: Edit): Members {
  const { text, data } = part;
  return {
    ...part,
    ...(typeof text === 'string' && { text: edit(text) }),
    ...(Object.hasOwn(part, 'data') && { data: mapStrings(data, edit) }),
  };
}

function mapStrings(value: unknown, edit: Edit): unknown {
  if (typeof value === 'string') return edit(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, edit));
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapStrings(member, edit)]));
}
