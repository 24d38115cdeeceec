import type { Dialect, HostedPart, JsonObject, MediaPart, OpaquePart, Part } from '../call';
import type { LossLedger } from '../losses';
import { optional } from '../values/json';
import { asDataUrl } from './decode-content';

/**
 * Encodes a part of a message. Returns null for a part that has no place in the content; a loss is
 * recorded.
 */
export function encodePart(part: Part, losses: LossLedger): JsonObject | null {
  const { at = 'messages', x } = part;
  const own = x?.['openai-chat'];
  if (part.cache !== undefined && own === undefined) losses.note(`${at}.cache_control`);
  const encoded = withoutMark(part, at, losses);
  return encoded === null || own === undefined ? encoded : { ...encoded, ...own };
}

function withoutMark(part: Part, at: string, losses: LossLedger): JsonObject | null {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'media':
      return encodeMedia(part, at, losses);
    case 'search_result':
      return { type: 'text', text: textOf(part) };
    case 'opaque':
    case 'hosted_call':
    case 'hosted_result':
      return encodeOther(part, at, losses);
    // Written as other messages or members.
    case 'reasoning':
    case 'tool_call':
    case 'tool_result':
      return null;
  }
}

/** Encodes a part that only its own dialect has. */
export function encodeOther(
  part: OpaquePart | HostedPart,
  at: string,
  losses: LossLedger,
  own: Dialect = 'openai-chat',
): JsonObject | null {
  if (part.dialect === own) return part.data;
  if (part.kind !== 'opaque') {
    losses.note(at);
    return null;
  }
  losses.refuse(at, 'The provider has no equivalent of this part; remove it.');
  return null;
}

/** Returns the text of a tool result or search result: joined texts, and other parts as JSON. */
export function textOf(part: Extract<Part, { kind: 'search_result' | 'tool_result' }>): string {
  const texts = part.parts.map((inner) => {
    if (inner.kind === 'text') return inner.text;
    if (inner.kind === 'search_result') return textOf(inner);
    if (inner.kind === 'media' && inner.source.at === 'text') return inner.source.text;
    return inner.kind === 'opaque' ? JSON.stringify(inner.data) : '';
  });
  const body = texts.join('');
  return part.kind === 'search_result' ? `${part.title}\n${part.source}\n${body}` : body;
}

function encodeMedia(part: MediaPart, at: string, losses: LossLedger): JsonObject | null {
  if (part.title !== undefined && part.media !== 'document') losses.note(`${at}.title`);
  if (part.context !== undefined) losses.note(`${at}.context`);
  if (part.citations === true) losses.note(`${at}.citations`);
  switch (part.media) {
    case 'image':
      return encodeImage(part, at, losses);
    case 'audio':
      return encodeAudio(part, at, losses);
    case 'document':
      return encodeDocument(part, at, losses);
    case 'video':
      losses.refuse(at, 'The provider does not take video; remove the part.');
      return null;
  }
}

export function encodeImage(part: MediaPart, at: string, losses: LossLedger): JsonObject | null {
  const { source } = part;
  if (source.at === 'base64' || source.at === 'url') {
    const url = source.at === 'url' ? source.url : asDataUrl(part.mime ?? 'image/jpeg', source.data);
    return { type: 'image_url', image_url: { url, ...optional('detail', part.detail) } };
  }
  losses.refuse(at, 'The provider takes images as data or by URL only.');
  return null;
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
};

function encodeAudio(part: MediaPart, at: string, losses: LossLedger): JsonObject | null {
  const format = AUDIO_FORMATS[part.mime ?? 'audio/wav'];
  if (part.source.at === 'base64' && format !== undefined) {
    return { type: 'input_audio', input_audio: { data: part.source.data, format } };
  }
  losses.refuse(at, 'The provider takes audio as wav or mp3 data only.');
  return null;
}

function encodeDocument(part: MediaPart, at: string, losses: LossLedger): JsonObject | null {
  const { source } = part;
  const name = part.name ?? part.title;
  switch (source.at) {
    case 'text':
      return { type: 'text', text: source.text };
    case 'file':
      if (source.owner === 'openai-chat' || source.owner === 'openai-responses') {
        return { type: 'file', file: { file_id: source.id } };
      }
      losses.refuse(at, 'The file belongs to another provider; send its content.');
      return null;
    case 'base64':
      return {
        type: 'file',
        file: {
          ...optional('filename', name),
          file_data: asDataUrl(part.mime ?? 'application/pdf', source.data),
        },
      };
    case 'url':
      losses.refuse(at, 'The provider does not fetch documents; send the content.');
      return null;
  }
}
