import {
  partPath,
  pathOf,
  type JsonObject,
  type MediaPart,
  type ModelCall,
  type Part,
  type ReasoningPart,
} from '../call';
import type { LossLedger } from '../losses';
import { encodeOther, textOf } from '../openai-chat/encode-content';
import { dataUrl, mediaType } from '../values/data-url';
import { documentText } from '../values/documents';
import { optional } from '../values/json';

/**
 * Encodes a part as a content chunk. Returns null for a part that has no place in the content; a
 * loss is recorded.
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
      return encodeMedia(part, losses, call);
    case 'search_result':
      return { type: 'text', text: textOf(part) };
    case 'reasoning':
      return thinkingChunk(part);
    case 'opaque':
    case 'hosted_call':
    case 'hosted_result':
      return encodeOther(part, part.at ?? pathOf(call, 'turns'), losses, 'mistral');
    // Written as other messages or members.
    case 'tool_call':
    case 'tool_result':
      return null;
  }
}

/** Encodes reasoning that Mistral has signed; null for other reasoning. */
const thinkingChunk = ({ text, seal }: ReasoningPart): JsonObject | null =>
  seal?.by === 'mistral'
    ? { type: 'thinking', thinking: [{ type: 'text', text }], signature: seal.value }
    : null;

function encodeMedia(part: MediaPart, losses: LossLedger, call: ModelCall): JsonObject | null {
  if (part.context !== undefined) losses.note(`${part.at ?? pathOf(call, 'turns')}.context`);
  if (part.citations === true) losses.note(partPath(call, part, 'citations'));
  const encoded = encodeSource(part, losses, call);
  if (encoded === null)
    losses.refuse(
      partPath(call, part, part.media),
      'The provider takes images and documents as data, by URL, or as its own files, and audio as data.',
    );
  return encoded;
}

/** Encodes media; null for media that Mistral does not accept. */
function encodeSource(part: MediaPart, losses: LossLedger, call: ModelCall): JsonObject | null {
  const { source } = part;
  switch (part.media) {
    case 'image':
      return fileChunk(part) ?? imageChunk(part, losses, call);
    case 'document':
      return fileChunk(part) ?? documentChunk(part);
    case 'audio':
      return source.at === 'base64' ? { type: 'input_audio', input_audio: source.data } : null;
    case 'video':
      return null;
  }
}

function imageChunk(part: MediaPart, losses: LossLedger, call: ModelCall): JsonObject | null {
  const url = urlOf(part, 'image/jpeg');
  if (url === null) return null;
  if (part.title !== undefined) losses.note(partPath(call, part, 'title'));
  const isKnown = part.detail !== 'original';
  if (!isKnown) losses.note(partPath(call, part, 'detail'));
  return { type: 'image_url', image_url: { url, ...optional('detail', isKnown ? part.detail : undefined) } };
}

function documentChunk(part: MediaPart): JsonObject | null {
  const text = documentText(part);
  if (text !== null) return { type: 'text', text };
  const url = urlOf(part, 'application/pdf');
  if (url === null) return null;
  return { type: 'document_url', document_url: url, ...optional('document_name', part.name ?? part.title) };
}

function urlOf({ source, mime }: MediaPart, fallbackMime: string): string | null {
  if (source.at === 'url') return source.url;
  return source.at === 'base64' ? dataUrl(mediaType(mime ?? fallbackMime), source.data) : null;
}

const fileChunk = ({ source }: MediaPart): JsonObject | null =>
  source.at === 'file' && source.owner === 'mistral' ? { type: 'file', file_id: source.id } : null;
