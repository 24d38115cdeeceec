import type { Citation, JsonObject } from '../call';
import { asObject, asString, optional } from '../values/json';
import { DIALECT } from './paths';

/**
 * Reads a citation and keeps its original form, because the provider checks citations that are sent
 * back.
 */
export function decodeCitation(data: JsonObject, start?: number, end?: number): Citation {
  const url = asString(data['url']) ?? webAddress(data['source']);
  const title = asString(data['title']) ?? asString(data['document_title']);
  return {
    ...optional('url', url ?? undefined),
    ...optional('title', title ?? undefined),
    ...optional('citedText', asString(data['cited_text']) ?? undefined),
    ...optional('start', start),
    ...optional('end', end),
    raw: { dialect: DIALECT, data },
  };
}

/**
 * Returns the source of a search result if it is a web address, else null. The source may be any
 * text, but other dialects can cite only addresses.
 */
const webAddress = (source: unknown): string | null =>
  typeof source === 'string' && /^https?:\/\//i.test(source) ? source : null;

/** Reads the `citations` of a text block in a request. */
export const decodeCitations = (value: unknown): readonly Citation[] | undefined =>
  Array.isArray(value)
    ? value
        .map(asObject)
        .filter((item) => item !== null)
        .map((item) => decodeCitation(item))
    : undefined;

/** Writes a citation for a client; citations of other dialects become citations of web pages. */
export function encodeCitation(citation: Citation): JsonObject | null {
  if (citation.raw?.dialect === DIALECT) return citation.raw.data;
  if (citation.url === undefined) return null;
  return {
    type: 'web_search_result_location',
    url: citation.url,
    title: citation.title ?? null,
    cited_text: citation.citedText ?? '',
    encrypted_index: '',
  };
}

/** Returns the citations that Anthropic itself issued; it refuses others. */
export const ownCitations = (citations: readonly Citation[]): JsonObject[] =>
  citations.flatMap(({ raw }) =>
    raw?.dialect === DIALECT && raw.data['encrypted_index'] !== '' ? [raw.data] : [],
  );
