import { partPath, pathOf, type JsonObject, type MediaPart, type ModelCall, type Part } from '../call';
import type { LossLedger } from '../losses';
import { encodeOther } from '../openai-chat/encode-content';
import { dataUrl, mediaType } from '../values/data-url';
import { documentText } from '../values/documents';
import { optional } from '../values/json';
import { joinedText } from '../values/tool-pairs';

/**
 * Encodes a part of a message. Returns null for a part that has no place in the content; a loss is
 * recorded.
 */
export function encodePart(part: Part, losses: LossLedger, call: ModelCall): JsonObject | null {
  if (part.cache !== undefined) losses.note(partPath(call, part, 'cache'));
  return withoutMark(part, losses, call);
}

function withoutMark(part: Part, losses: LossLedger, call: ModelCall): JsonObject | null {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'media':
      return encodeImage(part, losses, call);
    case 'opaque':
    case 'hosted_call':
    case 'hosted_result':
      return encodeOther(part, part.at ?? pathOf(call, 'turns'), losses, 'cohere-v2');
    // Written as documents, other messages or members, or left out.
    case 'search_result':
    case 'reasoning':
    case 'tool_call':
    case 'tool_result':
      return null;
  }
}

/** A document that the model can cite. */
export type EncodedDocument = JsonObject & {
  readonly document: { readonly data: JsonObject & { readonly text: string } };
};

/**
 * Encodes a text document or a search result as a part of type `document`; null for any other part.
 */
export function encodeDocument(part: Part, losses: LossLedger, call: ModelCall): EncodedDocument | null {
  if (part.kind === 'search_result') {
    const { title, source: url, parts } = part;
    return { type: 'document', document: { data: { title, url, text: joinedText(parts) } } };
  }
  if (part.kind !== 'media' || part.media !== 'document') return null;
  const text = documentText(part);
  if (text === null) return null;
  if (part.cache !== undefined) losses.note(partPath(call, part, 'cache'));
  const { name, title = name, context } = part;
  return {
    type: 'document',
    document: { data: { ...optional('title', title), ...optional('context', context), text } },
  };
}

function encodeImage(part: MediaPart, losses: LossLedger, call: ModelCall): JsonObject | null {
  const { media, source, detail } = part;
  const isTaken = media === 'image' && (source.at === 'url' || source.at === 'base64');
  if (!isTaken) {
    losses.refuse(
      partPath(call, part, media),
      'The provider takes images as data or by URL, and documents as text; remove the part.',
    );
    return null;
  }
  if (part.title !== undefined) losses.note(partPath(call, part, 'title'));
  const isKnown = detail !== 'original';
  if (!isKnown) losses.note(partPath(call, part, 'detail'));
  const url = source.at === 'url' ? source.url : dataUrl(mediaType(part.mime ?? 'image/jpeg'), source.data);
  return { type: 'image_url', image_url: { url, ...optional('detail', isKnown ? detail : undefined) } };
}
