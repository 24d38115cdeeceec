import { isObject, isRawNumber, withEditedTexts } from '@gw/kernel';

/**
 * Members of both versions whose strings are no texts: ids, kinds and states, times, addresses,
 * media types, and the contents of files.
 */
const NO_TEXTS: ReadonlySet<string> = new Set([
  ...['id', 'taskId', 'contextId', 'messageId', 'artifactId', 'referenceTaskIds', 'nextPageToken'],
  ...['kind', 'role', 'state', 'timestamp', 'mediaType', 'mimeType', 'extensions'],
  ...['url', 'uri', 'fileWithUri', 'raw', 'bytes', 'fileWithBytes'],
]);
/** Members with free JSON, whose texts are those of `jsonTexts`. */
const FREE: ReadonlySet<string> = new Set(['data', 'metadata']);

type Edit = (text: string) => string;

/**
 * Returns the texts in a value of A2A, such as a message, a task or an event of either version: its
 * strings, also names of files and those of unknown members, without `NO_TEXTS`, and the texts of
 * data and metadata.
 */
export function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/**
 * Returns the value with its texts replaced, in the order of `textsIn`. The value itself does not
 * change.
 */
export const withTexts = <T>(value: T, edit: Edit): T => mapTexts(value, edit) as T;

function mapTexts(value: unknown, edit: Edit): unknown {
  if (typeof value === 'string') return edit(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, edit));
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (FREE.has(name)) return [name, withEditedTexts(member, edit)];
      return [name, NO_TEXTS.has(name) && !isObject(member) ? member : mapTexts(member, edit)];
    }),
  );
}
