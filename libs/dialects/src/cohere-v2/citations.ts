import type { Citation, JsonObject } from '../call';
import { asNumber, asObject, asString, objectsOf, optional } from '../values/json';

/** Reads the citations of a value: an object, or a list of them. */
export const citationsIn = (value: unknown): readonly JsonObject[] => {
  const one = asObject(value);
  return one === null ? objectsOf(value) : [one];
};

/**
 * Reads a citation. Returns one for each source with an address, or one for all sources without
 * addresses. `offset` is the number of code units of the message's text before the cited part.
 */
export function readCitation(data: JsonObject, offset: number): Citation[] {
  const citedText = asString(data['text']) ?? undefined;
  const place = {
    ...optional('start', shifted(data['start'], offset)),
    ...optional('end', shifted(data['end'], offset)),
    ...optional('citedText', citedText),
    raw: { dialect: 'cohere-v2', data } as const,
  };
  const found = objectsOf(data['sources'])
    .map((source) => asObject(source['document']) ?? asObject(source['tool_output']) ?? {})
    .flatMap((document): Citation[] => {
      const url = asString(document['url']);
      const title = asString(document['title']) ?? undefined;
      return url === null ? [] : [{ ...place, url, ...optional('title', title) }];
    });
  return found.length === 0 ? [place] : found;
}

function shifted(value: unknown, offset: number): number | undefined {
  const position = asNumber(value);
  return position === null ? undefined : position + offset;
}
