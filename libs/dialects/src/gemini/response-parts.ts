import type {
  Citation,
  HostedPart,
  JsonObject,
  MediaPart,
  OpaquePart,
  Part,
  RefusalPart,
  Seal,
  SearchResultPart,
  TextPart,
  ToolResultPart,
} from '../call';
import type { ClientContext } from '../codec';
import { responseArguments } from '../values/tool-arguments';
import type { ByteOffsets } from './byte-offsets';
import { thoughtSignature } from './seals';

/** Returns `thoughtSignature` of a part; `{}` without a seal. */
export function signature(seal: Seal | undefined): JsonObject {
  const text = seal === undefined ? undefined : thoughtSignature(seal);
  return text === undefined ? {} : { thoughtSignature: text };
}

/**
 * Returns `functionCall` of a complete call. Arguments that are not a JSON object are kept as text,
 * which is recorded as a loss.
 */
export function functionCall(
  call: { readonly id: string; readonly name: string; readonly args: string },
  { losses }: ClientContext,
  path: string,
): JsonObject {
  const { input, broken } = responseArguments(call.args);
  if (broken) losses?.note(path, 'approximated');
  return { ...(call.id === '' ? {} : { id: call.id }), name: call.name, args: input };
}

/** Text and offsets of one candidate, collected from its parts. */
export interface CandidateText {
  readonly offsets: ByteOffsets;
  readonly citations: Citation[];
}

/**
 * Encodes a part of a complete response for a Gemini client; null for an empty part, and for one
 * that Gemini does not have.
 */
export function responsePart(
  part: Part,
  context: ClientContext,
  path: string,
  text: CandidateText,
): JsonObject | null {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return textPart(part, text);
    case 'reasoning':
      return { text: part.text, thought: true, ...signature(part.seal) };
    case 'tool_call':
      return { functionCall: functionCall(part, context, path), ...signature(part.seal) };
    case 'media':
      return inlineData(part, context, path);
    case 'hosted_call':
    case 'hosted_result':
    case 'opaque':
    case 'tool_result':
    case 'search_result':
      return ownData(part) ?? dropped(context, path);
  }
}

/** Returns the original part if it came from Gemini, else null. */
const ownData = (part: HostedPart | OpaquePart | ToolResultPart | SearchResultPart): JsonObject | null =>
  'dialect' in part && part.dialect === 'gemini' ? part.data : null;

function textPart(part: TextPart | RefusalPart, { offsets, citations }: CandidateText): JsonObject | null {
  const seal = part.kind === 'text' ? part.seal : undefined;
  offsets.add(part.text);
  if (part.kind === 'text') citations.push(...(part.citations ?? []));
  return part.text === '' && seal === undefined ? null : { text: part.text, ...signature(seal) };
}

function inlineData(
  { source, mime, seal }: MediaPart,
  context: ClientContext,
  path: string,
): JsonObject | null {
  return source.at === 'base64' && mime !== undefined
    ? { inlineData: { mimeType: mime, data: source.data }, ...signature(seal) }
    : dropped(context, path);
}

function dropped({ losses }: ClientContext, path: string): null {
  losses?.note(path);
  return null;
}
