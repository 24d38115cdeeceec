import type { Citation, JsonObject } from '../call';
import { asNumber, asString, objectsOf } from '../values/json';
import { DIALECT } from './own';

/**
 * Reads an annotation. `base` is the number of code units of the message's text before the content
 * part.
 */
export function decodeAnnotation(annotation: JsonObject, base: number): Citation {
  const url = asString(annotation['url']);
  const title = asString(annotation['title']) ?? asString(annotation['filename']);
  const start = asNumber(annotation['start_index']);
  const end = asNumber(annotation['end_index']);
  return {
    ...(url === null ? {} : { url }),
    ...(title === null ? {} : { title }),
    ...(start === null ? {} : { start: base + start }),
    ...(end === null ? {} : { end: base + end }),
    raw: { dialect: DIALECT, data: annotation },
  };
}

export const decodeAnnotations = (value: unknown, base: number): Citation[] =>
  objectsOf(value).map((annotation) => decodeAnnotation(annotation, base));

/**
 * Writes a citation; null when it has no URL, because the other annotations name files of OpenAI. A
 * citation without a range cites the content part, which is `length` code units long and begins at
 * `base` in the message's text.
 */
export function encodeCitation(citation: Citation, base: number, length: number): JsonObject | null {
  if (citation.raw?.dialect === DIALECT) return citation.raw.data;
  if (citation.url === undefined) return null;
  const within = (value: number | undefined, fallback: number): number =>
    Math.max(0, value === undefined ? fallback : value - base);
  return {
    type: 'url_citation',
    url: citation.url,
    title: citation.title ?? '',
    start_index: within(citation.start, 0),
    end_index: within(citation.end, length),
  };
}
