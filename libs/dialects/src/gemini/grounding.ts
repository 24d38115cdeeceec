import type { Citation, JsonObject } from '../call';
import { asNumber, asObject, asString, objectsOf } from '../values/json';
import type { ByteOffsets } from './byte-offsets';

/** Maximum number of citations that are read from one candidate. */
const CITATIONS_MAX = 1_000;

/**
 * Reads the citations of a candidate from `groundingMetadata` and `citationMetadata`. Google counts
 * bytes of a part's text; `base` is the byte at which the part begins in the message.
 */
export function citationsOf(
  candidate: JsonObject,
  offsets: ByteOffsets,
  base: (part: number) => number,
): Citation[] {
  const cited = [
    ...supported(asObject(candidate['groundingMetadata']) ?? {}, offsets, base),
    ...recited(candidate['citationMetadata'], offsets),
  ];
  return cited.slice(0, CITATIONS_MAX);
}

function supported(grounding: JsonObject, offsets: ByteOffsets, base: (part: number) => number): Citation[] {
  const chunks = objectsOf(grounding['groundingChunks']);
  const citations: Citation[] = [];
  for (const support of objectsOf(grounding['groundingSupports']).slice(0, CITATIONS_MAX)) {
    const segment = asObject(support['segment']) ?? {};
    const range = rangeOf(segment, offsets, base(asNumber(segment['partIndex']) ?? 0));
    const citedText = asString(segment['text']);
    for (const index of indexesOf(support['groundingChunkIndices'])) {
      const source = sourceOf(chunks[index]);
      if (source !== null)
        citations.push({ ...source, ...range, ...(citedText === null ? {} : { citedText }) });
    }
    if (citations.length >= CITATIONS_MAX) break;
  }
  return citations;
}

/** Returns citations for texts that the model recited; their offsets refer to the message. */
function recited(metadata: unknown, offsets: ByteOffsets): Citation[] {
  return objectsOf(asObject(metadata)?.['citations']).flatMap((cited) => {
    const url = asString(cited['uri']);
    const title = asString(cited['title']);
    return url === null ? [] : [{ url, ...(title === null ? {} : { title }), ...rangeOf(cited, offsets, 0) }];
  });
}

const indexesOf = (value: unknown): number[] =>
  Array.isArray(value)
    ? value.filter((index): index is number => Number.isInteger(index)).slice(0, CITATIONS_MAX)
    : [];

function sourceOf(chunk: JsonObject | undefined): Pick<Citation, 'url' | 'title'> | null {
  if (chunk === undefined) return null;
  const source = asObject(chunk['web']) ?? asObject(chunk['retrievedContext']) ?? asObject(chunk['maps']);
  const url = asString(source?.['uri']);
  if (url === null) return null;
  const title = asString(source?.['title']);
  return { url, ...(title === null ? {} : { title }) };
}

function rangeOf(segment: JsonObject, offsets: ByteOffsets, base: number): Pick<Citation, 'start' | 'end'> {
  const end = asNumber(segment['endIndex']);
  if (end === null) return {};
  const from = offsets.unitAt(base + (asNumber(segment['startIndex']) ?? 0));
  const to = offsets.unitAt(base + end);
  return from === undefined || to === undefined ? {} : { start: from, end: to };
}

/** Writes citations as `groundingMetadata`; undefined when none names an address. */
export function groundingMetadata(
  citations: readonly Citation[],
  offsets: ByteOffsets,
): JsonObject | undefined {
  const chunks: JsonObject[] = [];
  const supports: JsonObject[] = [];
  const places = new Map<string, number>();
  for (const { url, title, start, end, citedText } of citations.slice(0, CITATIONS_MAX)) {
    if (url === undefined) continue;
    const place = places.get(url) ?? chunks.length;
    if (place === chunks.length) {
      places.set(url, place);
      chunks.push({ web: { uri: url, ...(title === undefined ? {} : { title }) } });
    }
    const from = start === undefined ? undefined : offsets.byteAt(start);
    const to = end === undefined ? undefined : offsets.byteAt(end);
    if (from === undefined || to === undefined) continue;
    const segment = {
      startIndex: from,
      endIndex: to,
      ...(citedText === undefined ? {} : { text: citedText }),
    };
    supports.push({ segment, groundingChunkIndices: [place] });
  }
  return chunks.length === 0 ? undefined : { groundingChunks: chunks, groundingSupports: supports };
}
