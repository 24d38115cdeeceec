import type { JsonObject, MediaPart, Part, ReasoningPart, Seal, ToolCallPart, ToolResultPart } from '../call';
import { invalid } from '../losses';
import { mediaType } from '../values/data-url';
import { compact, optional, required, writtenJson } from '../values/json';
import type { CallIds } from './call-ids';
import { Members, ownMembers } from './members';
import { readThoughtSignature } from './seals';

/** Facts for decoding the parts of one content. */
export interface PartPlace {
  readonly ids: CallIds;
  readonly turn: number;
  readonly part: number;
}

/** Members of a part with a place in the neutral form. */
const KNOWN: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'videoMetadata',
]);
/** Members of parts that only Gemini has, and the kinds that they become. */
const HOSTED: Readonly<Record<string, 'hosted_call' | 'hosted_result'>> = {
  executableCode: 'hosted_call',
  toolCall: 'hosted_call',
  codeExecutionResult: 'hosted_result',
  toolResponse: 'hosted_result',
};

export function decodePart(part: Members, place: PartPlace): Part {
  const seal = sealOf(part);
  if (part.has('functionCall')) return toolCall(part, place, seal);
  if (part.has('functionResponse')) return toolResult(part, place);
  const media = mediaOf(part);
  if (media !== undefined) return { ...media, ...optional('seal', seal) };
  const text = part.string('text');
  const isThought = part.boolean('thought') === true;
  if (isThought || (text === undefined && seal !== undefined))
    return thought(part, text ?? '', isThought, seal);
  if (text !== undefined)
    return { kind: 'text', text, at: part.path, ...optional('seal', seal), ...ownMembers(part.rest(KNOWN)) };
  return foreignPart(part);
}

function sealOf(part: Members): Seal | undefined {
  const signature = part.string('thoughtSignature');
  return signature === undefined || signature === '' ? undefined : readThoughtSignature(signature);
}

/**
 * Decodes a thought. Unsigned thoughts are marked as Gemini's, so that only Gemini gets them back.
 */
function thought(part: Members, text: string, isThought: boolean, seal: Seal | undefined): ReasoningPart {
  const own = { ...part.rest(KNOWN), ...(isThought ? { thought: true } : {}) };
  return { kind: 'reasoning', text, at: part.path, ...optional('seal', seal), ...ownMembers(own) };
}

function foreignPart(part: Members): Part {
  for (const [name, kind] of Object.entries(HOSTED)) {
    if (part.has(name))
      return { kind, tool: 'code_execution', data: part.body, dialect: 'gemini', at: part.path };
  }
  if (Object.keys(part.body).length === 0) {
    throw invalid(
      part.path,
      `${part.path} is empty; send text, inlineData, fileData, functionCall or functionResponse.`,
    );
  }
  return { kind: 'opaque', dialect: 'gemini', data: part.body, at: part.path };
}

function toolCall(
  part: Members,
  { ids, turn, part: index }: PartPlace,
  seal: Seal | undefined,
): ToolCallPart {
  const call = part.members('functionCall') as Members;
  const name = required(call.string('name'), call.at('name'), 'the name of the function');
  const args = call.object('args');
  return {
    kind: 'tool_call',
    id: ids.call(name, idOf(call), turn, index),
    name,
    args: args === undefined ? '' : textOf(args, call.at('args')),
    at: part.path,
    ...optional('seal', seal),
    ...ownMembers(part.rest(KNOWN)),
  };
}

/** Returns the id of a call or a result; an empty one counts as absent. */
function idOf(holder: Members): string | undefined {
  const id = holder.string('id');
  return id === '' ? undefined : id;
}

function toolResult(part: Members, { ids }: PartPlace): ToolResultPart {
  const result = part.members('functionResponse') as Members;
  const name = required(result.string('name'), result.at('name'), 'the name of the function');
  const callId = ids.result(name, idOf(result));
  if (callId === undefined) {
    throw invalid(
      result.path,
      `${result.path} answers no functionCall of an earlier content; send the content with the call first.`,
    );
  }
  const response = result.object('response') ?? {};
  const { text, error } = responseText(response, result.at('response'));
  const media = result.list('parts').map((item) => {
    const found = mediaOf(item);
    if (found === undefined) throw invalid(item.path, `${item.path} must have inlineData or fileData.`);
    return found;
  });
  const rest = result.rest(new Set(['id', 'name', 'response', 'parts']));
  return {
    kind: 'tool_result',
    callId,
    name,
    parts: [{ kind: 'text', text, at: result.at('response') }, ...media],
    at: part.path,
    ...(error ? { error } : {}),
    x: { gemini: { ...rest, response } },
  };
}

/**
 * Returns the text of a result: the value of `output` or `error`, else the whole object as JSON.
 */
function responseText(
  response: JsonObject,
  path: string,
): { readonly text: string; readonly error: boolean } {
  const names = Object.keys(response);
  const [name = ''] = names;
  const isWrapped = names.length === 1 && (name === 'output' || name === 'error');
  const value = isWrapped ? response[name] : response;
  return {
    text: typeof value === 'string' ? value : textOf(value ?? {}, path),
    error: isWrapped && name === 'error',
  };
}

/**
 * Writes a value as JSON text. Throws `validation_failed` for one that is nested too deeply to be
 * written.
 */
function textOf(value: unknown, path: string): string {
  const text = writtenJson(value);
  if (text === null) throw invalid(path, `${path} is nested too deeply.`);
  return text;
}

function mediaOf(part: Members): MediaPart | undefined {
  const inline = part.members('inlineData');
  const file = part.members('fileData');
  const holder = inline ?? file;
  if (holder === undefined) return undefined;
  const mimeType = holder.string('mimeType');
  const mime = mimeType === undefined ? undefined : mediaType(mimeType);
  const source =
    inline === undefined
      ? fileSource(required(holder.string('fileUri'), holder.at('fileUri'), 'the address of the file'))
      : ({ at: 'base64', data: required(inline.string('data'), inline.at('data'), 'base64 text') } as const);
  const clip = clipOf(part.members('videoMetadata'));
  return {
    kind: 'media',
    media: mediaKind(mime),
    source,
    at: part.path,
    ...optional('mime', mime),
    ...optional('name', holder.string('displayName')),
    ...optional('clip', clip),
    ...optional('detail', detailOf(part.members('mediaResolution'))),
    ...ownMembers(part.rest(KNOWN)),
  };
}

/** Returns the source of a file: a file of Google's Files API, or a URL. */
const fileSource = (uri: string): MediaPart['source'] =>
  uri.startsWith('files/') || uri.startsWith('https://generativelanguage.googleapis.com/')
    ? { at: 'file', id: uri, owner: 'gemini' }
    : { at: 'url', url: uri };

export function mediaKind(mime: string | undefined): MediaPart['media'] {
  if (mime === undefined || mime.startsWith('image/')) return 'image';
  if (mime.startsWith('audio/')) return 'audio';
  return mime.startsWith('video/') ? 'video' : 'document';
}

const DETAILS: Readonly<Record<string, MediaPart['detail']>> = {
  MEDIA_RESOLUTION_LOW: 'low',
  MEDIA_RESOLUTION_HIGH: 'high',
  MEDIA_RESOLUTION_ULTRA_HIGH: 'original',
};

function detailOf(resolution: Members | undefined): MediaPart['detail'] {
  const level = resolution?.string('level');
  return level !== undefined && Object.hasOwn(DETAILS, level) ? DETAILS[level] : undefined;
}

function clipOf(video: Members | undefined): MediaPart['clip'] {
  if (video === undefined) return undefined;
  return compact({
    startMs: milliseconds(video, 'startOffset'),
    endMs: milliseconds(video, 'endOffset'),
    fps: video.number('fps'),
  });
}

/** Reads a duration of Google's JSON, such as `1.5s`. */
function milliseconds(members: Members, name: string): number | undefined {
  const text = members.string(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}(?:\.\d{1,9})?s$/.test(text))
    throw invalid(members.at(name), `${members.at(name)} must be seconds such as 1.5s.`);
  return Math.round(Number(text.slice(0, -1)) * 1_000);
}
