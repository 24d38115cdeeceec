import type {
  JsonObject,
  MediaPart,
  ModelCall,
  OpaquePart,
  Part,
  RefusalPart,
  Seal,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../call';
import { hasInexactNumber } from '@gw/kernel';
import { partPath, pathOf } from '../call';
import { invalid, type LossLedger } from '../losses';
import type { Target } from '../target';
import { parseObject } from '../values/json';
import { isTooDeep, type ArgumentsReader } from '../values/tool-arguments';
import type { calledNames } from '../values/tool-pairs';
import { isMadeId } from './call-ids';
import { mimeOf, plainBase64 } from './media';

/** Facts that the encoders of parts share for one call. */
export interface PartFacts {
  readonly call: ModelCall;
  readonly target: Target;
  readonly losses: LossLedger;
  readonly args: ArgumentsReader;
  /** Names of the called functions by result. */
  readonly names: ReturnType<typeof calledNames>;
}

/** Function names that Gemini accepts. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

export const isFunctionName = (name: string): boolean => NAME.test(name);

const signed = (seal: Seal | undefined): JsonObject =>
  seal?.by === 'google' ? { thoughtSignature: seal.value } : {};

const pathOfPart = (part: Part, { call }: PartFacts): string => part.at ?? pathOf(call, 'turns');

/** Encodes a part other than a result and reasoning; null when it is left out. */
export function encodePart(part: Part, facts: PartFacts): JsonObject | null {
  if (part.cache !== undefined) facts.losses.note(partPath(facts.call, part, 'cache'));
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return encodeText(part);
    case 'media':
      return encodeMedia(part, facts);
    case 'tool_call':
      return encodeToolCall(part, facts);
    case 'search_result':
      return { text: `${part.title}\n${part.source}\n${textOfParts(part.parts)}` };
    case 'hosted_call':
    case 'hosted_result':
      return encodeHosted(part, facts);
    case 'opaque':
      return encodeOpaque(part, facts);
    case 'tool_result':
    case 'reasoning':
      return null;
  }
}

/** Encodes a text. Empty text is left out unless it has a signature. */
function encodeText(part: TextPart | RefusalPart): JsonObject | null {
  const signature = part.kind === 'text' ? signed(part.seal) : {};
  if (part.text === '' && signature['thoughtSignature'] === undefined) return null;
  return { text: part.text, ...signature, ...part.x?.gemini };
}

function encodeOpaque(part: OpaquePart, facts: PartFacts): JsonObject | null {
  if (part.dialect === 'gemini') return part.data;
  facts.losses.refuse(pathOfPart(part, facts), 'Gemini has no content of this type.');
  return null;
}

/**
 * Encodes a hosted call. A search by another provider is left out, because its results are in the
 * following text.
 */
function encodeHosted(
  part: Extract<Part, { kind: 'hosted_call' | 'hosted_result' }>,
  facts: PartFacts,
): JsonObject | null {
  if (part.dialect === 'gemini') return part.data;
  const path = pathOfPart(part, facts);
  if (part.tool === 'web_search') facts.losses.note(path);
  else
    facts.losses.refuse(
      path,
      `Gemini cannot continue a conversation with a call of ${part.tool}, which another provider ran.`,
    );
  return null;
}

function encodeToolCall(part: ToolCallPart, facts: PartFacts): JsonObject | null {
  const path = pathOfPart(part, facts);
  if (part.custom === true) {
    facts.losses.refuse(path, 'Gemini has no custom tools with free text.');
    return null;
  }
  if (!isFunctionName(part.name)) {
    facts.losses.refuse(
      path,
      'Gemini takes function names of letters, digits, "_", ".", ":" and "-" that begin with a letter or "_".',
    );
    return null;
  }
  return {
    functionCall: {
      ...idOf(part.id, facts),
      name: part.name,
      args: facts.args.read(part.args, partPath(facts.call, part, 'arguments')),
    },
    ...signed(part.seal),
    ...part.x?.gemini,
  };
}

/**
 * Returns the id of a call for models that use ids; ids that the gateway generated are left out.
 */
const idOf = (id: string, { target }: PartFacts): JsonObject =>
  target.capabilities.toolCallIds && id !== '' && !isMadeId(id) ? { id } : {};

export interface EncodedResult {
  readonly part: JsonObject;
  /** Media that the model accepts only outside of a result. */
  readonly moved: readonly JsonObject[];
}

/**
 * Encodes a result of a function. Throws `validation_failed` when the history has no call with its
 * id.
 */
export function encodeResult(result: ToolResultPart, facts: PartFacts): EncodedResult {
  const path = pathOfPart(result, facts);
  const name = facts.names.get(result);
  if (name === undefined) {
    const idPath = partPath(facts.call, result, 'callId');
    throw invalid(idPath, 'The result belongs to no call of an earlier message; send the call first.');
  }
  const media = resultMedia(result, path, facts);
  // Models before Gemini 3 accept only text as the result of a function; media is sent next to it.
  const isInside = facts.target.capabilities.reasoning === 'level' || media.length === 0;
  if (!isInside) facts.losses.note(path, 'moved');
  const { response, ...own } = result.x?.gemini ?? {};
  return {
    part: {
      functionResponse: {
        ...idOf(result.callId, facts),
        name,
        response: response ?? responseOf(textOfParts(result.parts), result.error === true),
        ...(isInside && media.length > 0 ? { parts: media } : {}),
        ...own,
      },
    },
    moved: isInside ? [] : [{ text: `[tool result ${result.callId}]` }, ...media],
  };
}

function resultMedia(result: ToolResultPart, path: string, facts: PartFacts): JsonObject[] {
  const { losses } = facts;
  if (result.cache !== undefined) losses.note(partPath(facts.call, result, 'cache'));
  const media: JsonObject[] = [];
  for (const part of result.parts) {
    if (part.kind === 'opaque')
      losses.refuse(path, 'Gemini takes text, images and files as the result of a function.');
    const encoded = part.kind === 'media' ? encodeMedia(part, facts) : null;
    if (encoded !== null) media.push(encoded);
  }
  return media;
}

/**
 * Returns the response object of a result: a JSON object itself, any other text as its `output` or
 * `error`.
 */
function responseOf(text: string, isError: boolean): JsonObject {
  if (isError) return { error: text };
  return (text.trimStart().startsWith('{') ? shallowObject(text) : null) ?? { output: text };
}

/** Maximum characters of a result that is parsed; a longer one is sent as text. */
const PARSED_MAX = 256 * 1024;

/**
 * Parses the text of an object; null if it is not an object, too long or too deep, or has a number
 * that would change.
 */
function shallowObject(text: string): JsonObject | null {
  if (text.length > PARSED_MAX || isTooDeep(text)) return null;
  const found = parseObject(text);
  return found === null || hasInexactNumber(Buffer.from(text)) ? null : found;
}

/** Returns the text of the parts of a result. */
function textOfParts(parts: readonly Part[]): string {
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text' || part.kind === 'refusal') text += part.text;
    else if (part.kind === 'search_result')
      text += `${part.title}\n${part.source}\n${textOfParts(part.parts)}\n`;
  }
  return text;
}

function encodeMedia(part: MediaPart, facts: PartFacts): JsonObject | null {
  noteMediaHints(part, facts);
  const data = mediaData(part, facts);
  if (data === null) return null;
  return {
    ...data,
    ...clipOf(part),
    ...signed(part.seal),
    ...detailOf(part, facts),
    ...part.x?.gemini,
  };
}

function mediaData(part: MediaPart, facts: PartFacts): JsonObject | null {
  const { source } = part;
  const path = pathOfPart(part, facts);
  const mimeType = mimeOf(part);
  if (mimeType === null) throw invalid(path, 'The type of the file is unknown; send its media type.');
  switch (source.at) {
    case 'base64':
      return { inlineData: { mimeType, data: plainBase64(source.data) } };
    case 'text':
      return { inlineData: { mimeType, data: Buffer.from(source.text, 'utf8').toString('base64') } };
    case 'url':
      if (source.url.startsWith('s3://')) {
        facts.losses.refuse(path, 'Gemini cannot read s3:// addresses.');
        return null;
      }
      return { fileData: { fileUri: source.url, mimeType } };
    case 'file':
      if (source.owner !== 'gemini') {
        facts.losses.refuse(path, 'The file belongs to an account of another provider.');
        return null;
      }
      return { fileData: { fileUri: source.id, ...(part.mime === undefined ? {} : { mimeType }) } };
  }
}

function noteMediaHints(part: MediaPart, { call, losses }: PartFacts): void {
  if (part.title !== undefined) losses.note(partPath(call, part, 'title'));
  if (part.context !== undefined) losses.note(`${part.at ?? pathOf(call, 'turns')}.context`);
  if (part.citations === true) losses.note(partPath(call, part, 'citations'));
}

const LEVELS = {
  low: 'MEDIA_RESOLUTION_LOW',
  high: 'MEDIA_RESOLUTION_HIGH',
  original: 'MEDIA_RESOLUTION_ULTRA_HIGH',
};

/** Encodes the resolution of a part, which models since Gemini 3 support. */
function detailOf(part: MediaPart, facts: PartFacts): JsonObject {
  const { detail } = part;
  if (detail === undefined || detail === 'auto' || part.x?.gemini?.['mediaResolution'] !== undefined)
    return {};
  if (facts.target.capabilities.reasoning === 'level') return { mediaResolution: { level: LEVELS[detail] } };
  facts.losses.note(partPath(facts.call, part, 'detail'));
  return {};
}

function clipOf({ clip }: MediaPart): JsonObject {
  if (clip === undefined) return {};
  const { startMs, endMs, fps } = clip;
  return {
    videoMetadata: {
      ...(startMs === undefined ? {} : { startOffset: `${String(startMs / 1_000)}s` }),
      ...(endMs === undefined ? {} : { endOffset: `${String(endMs / 1_000)}s` }),
      ...(fps === undefined ? {} : { fps }),
    },
  };
}
