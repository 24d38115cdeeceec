import type { Citation, JsonObject, MediaPart } from '../call';
import { plainText } from '../openai-chat/decode-response';
import { parseDataUrl } from '../values/data-url';
import { asObject, asString, objectsOf, writtenJson } from '../values/json';

/** A decoded chunk of a content list. */
export type Chunk =
  | { readonly kind: 'text'; readonly text: string }
  /** `signature` is '' when the chunk has none. */
  | { readonly kind: 'thinking'; readonly text: string; readonly signature: string }
  | { readonly kind: 'reference'; readonly data: JsonObject }
  | { readonly kind: 'image'; readonly part: MediaPart }
  | { readonly kind: 'other'; readonly data: JsonObject };

/** Reads the content of a message or a delta: a text, or a list of chunks. */
export function readChunks(content: unknown): Chunk[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return objectsOf(content).map(readChunk);
}

function readChunk(chunk: JsonObject): Chunk {
  switch (chunk['type'] ?? 'text') {
    case 'text':
      return { kind: 'text', text: asString(chunk['text']) ?? '' };
    case 'thinking': {
      const { thinking } = chunk;
      return { kind: 'thinking', text: plainText(thinking), signature: asString(chunk['signature']) ?? '' };
    }
    case 'reference':
      return { kind: 'reference', data: chunk };
    case 'image_url':
      return readImage(chunk);
    default:
      return other(chunk);
  }
}

/** Returns an unknown chunk; one that is nested too deeply to serialise becomes an empty text. */
const other = (chunk: JsonObject): Chunk =>
  writtenJson(chunk) === null ? { kind: 'text', text: '' } : { kind: 'other', data: chunk };

function readImage(chunk: JsonObject): Chunk {
  const image = chunk['image_url'];
  const data = parseDataUrl(asString(image) ?? asString(asObject(image)?.['url']) ?? '');
  if (data === null) return other(chunk);
  const source = { at: 'base64', data: data.data } as const;
  return { kind: 'image', part: { kind: 'media', media: 'image', mime: data.mime, source } };
}

/**
 * Returns the citation of a reference, which belongs to the text before it. `start` and `end` are
 * code units of the message's text.
 */
export const referenceCitation = (data: JsonObject, start: number, end: number): Citation => ({
  start,
  end,
  raw: { dialect: 'mistral', data },
});
