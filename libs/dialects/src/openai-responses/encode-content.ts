import { partPath, type JsonObject, type MediaPart, type ModelCall, type Part, type TextPart } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { dataUrl } from '../values/data-url';
import { encodeCitation } from './annotations';
import { DIALECT, isOwn, ownOf } from './own';

/** Facts that the encoders of parts share. */
export interface PartContext {
  readonly call: ModelCall;
  readonly target: Target;
  readonly losses: LossLedger;
}

/** Encodes the content of a user, system or developer message, or of a tool's output. */
export function encodeInputParts(parts: readonly Part[], context: PartContext): JsonObject[] {
  const content: JsonObject[] = [];
  for (const part of parts) {
    const item = encodeInputPart(part, context);
    if (item !== null) content.push({ ...item, ...encodeBreakpoint(part, context), ...ownOf(part).rest });
  }
  return content;
}

function encodeInputPart(part: Part, context: PartContext): JsonObject | null {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'media':
      return encodeMedia(part, context);
    case 'search_result':
      context.losses.note(partAt(part, context), 'approximated', 'text');
      return { type: 'input_text', text: searchText(part.title, part.source, part.parts) };
    case 'opaque':
      if (part.dialect === DIALECT) return part.data;
      break;
    case 'hosted_call':
    case 'hosted_result':
    case 'reasoning':
    case 'tool_call':
    case 'tool_result':
      break;
  }
  context.losses.refuse(partAt(part, context), 'The Responses API has no such content; remove this part.');
  return null;
}

const partAt = (part: Part, { call }: PartContext): string => part.at ?? call.paths.turns ?? 'turns';

function searchText(title: string, source: string, parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return [title, source, ...texts].filter((text) => text !== '').join('\n');
}

/**
 * Encodes a cache mark. Models without explicit breakpoints cache automatically, so that only the
 * position of the mark is lost.
 */
function encodeBreakpoint(part: Part, { call, target, losses }: PartContext): JsonObject {
  if (part.cache === undefined) return {};
  if (target.capabilities.cacheBreakpoints || isOwnCall(call)) {
    if (part.cache.ttl !== undefined && part.cache.ttl !== '30m') {
      losses.note(partPath(call, part, 'cache'), 'approximated', 'ttl 30m');
    }
    return { prompt_cache_breakpoint: { mode: 'explicit' } };
  }
  losses.note(partPath(call, part, 'cache'));
  return {};
}

/** Returns whether the client uses this dialect. */
export const isOwnCall = (call: ModelCall): boolean => call.from === DIALECT;

function encodeMedia(part: MediaPart, context: PartContext): JsonObject | null {
  switch (part.media) {
    case 'image':
      return encodeImage(part, context);
    case 'document':
      return encodeDocument(part, context);
    case 'audio':
    case 'video':
      if (isOwnCall(context.call)) return encodeOwnMedia(part, context);
      context.losses.refuse(
        partPath(context.call, part, part.media),
        `The Responses API takes no ${part.media}; remove this part.`,
      );
      return null;
  }
}

/** Encodes audio and video that a client of this dialect sent as a separate part or a file. */
function encodeOwnMedia(part: MediaPart, context: PartContext): JsonObject | null {
  const { source, mime = '' } = part;
  if (part.media !== 'audio' || source.at !== 'base64' || part.name !== undefined) {
    return encodeDocument(part, context);
  }
  return { type: 'input_audio', input_audio: { data: source.data, format: mime.slice('audio/'.length) } };
}

function encodeImage(part: MediaPart, context: PartContext): JsonObject | null {
  const { source } = part;
  // The dialect's types require this member for an image in a message.
  const chosen = part.detail ?? (isOwnCall(context.call) ? undefined : 'auto');
  const detail = chosen === undefined ? {} : { detail: chosen };
  switch (source.at) {
    case 'base64':
      return { type: 'input_image', image_url: dataUrl(part.mime ?? 'image/png', source.data), ...detail };
    case 'url':
      return isFetchable(source.url)
        ? { type: 'input_image', image_url: source.url, ...detail }
        : refused(part, context, 'Only http, https and data URLs of images can be read by the provider.');
    case 'file':
      return isOpenAiFile(source.owner)
        ? { type: 'input_image', file_id: source.id, ...detail }
        : refused(part, context, 'The file belongs to another provider; send the image itself.');
    case 'text':
      return refused(part, context, 'An image cannot be a text.');
  }
}

const isFetchable = (url: string): boolean => /^(?:https?:|data:)/i.test(url.slice(0, 8));
const isOpenAiFile = (owner: string): boolean => owner === DIALECT || owner === 'openai-chat';

function refused(part: MediaPart, { call, losses }: PartContext, message: string): null {
  losses.refuse(partPath(call, part, part.media), message);
  return null;
}

function encodeDocument(part: MediaPart, context: PartContext): JsonObject | null {
  const { source } = part;
  noteDocumentMembers(part, context);
  const detail = part.detail === undefined ? {} : { detail: part.detail };
  switch (source.at) {
    case 'base64':
      return {
        type: 'input_file',
        ...nameOf(part, context),
        file_data:
          ownOf(part).isBare === true ? source.data : dataUrl(part.mime ?? 'application/pdf', source.data),
        ...detail,
      };
    case 'text':
      return {
        type: 'input_file',
        ...nameOf(part, context),
        file_data: dataUrl(part.mime ?? 'text/plain', Buffer.from(source.text).toString('base64')),
      };
    case 'url':
      return isFetchable(source.url)
        ? { type: 'input_file', file_url: source.url, ...optionalName(part), ...detail }
        : refused(part, context, 'Only http, https and data URLs of documents can be read by the provider.');
    case 'file':
      return isOpenAiFile(source.owner)
        ? { type: 'input_file', file_id: source.id, ...optionalName(part), ...detail }
        : refused(part, context, 'The file belongs to another provider; send the document itself.');
  }
}

function noteDocumentMembers(part: MediaPart, { call, losses }: PartContext): void {
  if (part.context !== undefined) losses.note(`${part.at ?? ''}.context`);
  if (part.citations === true) losses.note(partPath(call, part, 'citations'));
}

const optionalName = ({ name }: MediaPart): JsonObject => (name === undefined ? {} : { filename: name });

/**
 * Returns the name of a file. The API refuses data without a name, so a missing one is generated.
 */
function nameOf(part: MediaPart, { call, losses }: PartContext): JsonObject {
  const name = part.name ?? part.title;
  if (name !== undefined) return { filename: name };
  if (isOwn(part) || isOwnCall(call)) return {};
  const made = part.mime === undefined || part.mime === 'application/pdf' ? 'document.pdf' : 'document.txt';
  losses.note(partPath(call, part, 'title'), 'generated', made);
  return { filename: made };
}

/**
 * Encodes a part of an assistant message: text, a refusal, or a part that came from this dialect;
 * refuses others and returns null.
 */
export function encodeOutputPart(part: Part, base: number, context: PartContext): JsonObject | null {
  if (part.kind === 'text') {
    return { type: 'output_text', text: part.text, ...annotationsOf(part, base), ...ownOf(part).rest };
  }
  if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text, ...ownOf(part).rest };
  if (part.kind === 'opaque' && part.dialect === DIALECT) return part.data;
  // An input_image of an assistant message goes back to the dialect that it came from.
  if (part.kind === 'media' && ownOf(part).message !== undefined) return encodeMedia(part, context);
  context.losses.refuse(
    partAt(part, context),
    'An assistant message of the Responses API has only text and refusals; remove this part.',
  );
  return null;
}

function annotationsOf(part: TextPart, base: number): JsonObject {
  if (part.citations === undefined) return {};
  const annotations = part.citations
    .map((citation) => encodeCitation(citation, base, part.text.length))
    .filter((annotation) => annotation !== null);
  return annotations.length === 0 ? {} : { annotations };
}
