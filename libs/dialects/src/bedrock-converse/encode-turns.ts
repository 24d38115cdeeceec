import { partPath, pathOf, type JsonObject, type Part, type Turn } from '../call';
import { invalid } from '../losses';
import type { Target } from '../target';
import { mergeTurns, prefillPath, systemParts, type MergedTurn } from '../values/merged-turns';
import type { CachePoints } from './cache-points';
import type { MediaFacts } from './encode-media';
import { isBlank, PartEncoder } from './encode-parts';

export interface EncodedTurns {
  readonly system: JsonObject[];
  readonly messages: JsonObject[];
  /** Whether the last assistant message begins with reasoning, or its tool calls need none. */
  readonly hasThinking: boolean;
  /** Whether the history has calls of tools or results. */
  readonly hasToolBlocks: boolean;
  /** Path of a last assistant turn that the response should continue. */
  readonly prefill?: string;
}

/** Encodes the system text and the turns. */
export function encodeTurns(facts: MediaFacts, target: Target, points: CachePoints): EncodedTurns {
  const { call, losses, model } = facts;
  const hasLaterSystem = model.family === 'claude' && target.capabilities.laterSystem;
  const { messages, hoisted } = mergeTurns(
    call,
    losses,
    (before) => hasLaterSystem && before?.role === 'user',
  );
  const system = encodeSystem([...systemParts(call), ...hoisted], facts, points);
  const { encoded, last } = encodeMessages(messages, facts, points);
  markLast(encoded, facts, points);
  const prefill = prefillPath(last);
  return {
    system,
    messages: encoded,
    hasThinking: startsWithThinking(encoded),
    hasToolBlocks: messages.some(({ parts }) => parts.some(isToolBlock)),
    ...(prefill === undefined ? {} : { prefill }),
  };
}

/** Encodes the messages that are not empty. `last`: the last one of them. */
function encodeMessages(
  messages: readonly MergedTurn[],
  facts: MediaFacts,
  points: CachePoints,
): { encoded: JsonObject[]; last: MergedTurn | undefined } {
  const encoder = new PartEncoder(facts, points);
  const encoded: { role: Turn['role']; content: JsonObject[] }[] = [];
  const documents: DocumentPaths = new Map();
  let first: MergedTurn | undefined;
  let last: MergedTurn | undefined;
  for (const message of messages) {
    const before = encoded.at(-1);
    // An empty message between two others of one role is left out.
    const isMerged = before?.role === message.role;
    const content = isMerged ? before.content : [];
    const size = content.length;
    encoder.append(content, message.parts);
    if (content.length === size) continue;
    if (!isMerged) encoded.push({ role: message.role, content });
    withDocument(documents, message, encoded.length - 1);
    first ??= message;
    last = message;
  }
  refuseEmpty(messages, last, facts);
  if (first !== undefined && first.role !== 'user')
    facts.losses.refuse(first.at, 'The first message must be of the user.');
  requireText(encoded, documents, facts);
  return { encoded, last };
}

/**
 * Refuses a call whose last user message is empty, because leaving it out would change the request.
 */
function refuseEmpty(
  messages: readonly MergedTurn[],
  last: MergedTurn | undefined,
  { call, losses }: MediaFacts,
): void {
  // A refused part is missing too, so the message may be empty for that reason.
  if (losses.isRefused) return;
  const end = messages.at(-1);
  if (last === undefined)
    throw invalid(
      pathOf(call, 'turns'),
      'The messages have no content that Bedrock takes: their text is empty.',
    );
  if (end?.role === 'user' && end !== last)
    throw invalid(end.at, 'The last message is empty; Bedrock refuses empty text.');
}

const isToolBlock = ({ kind }: Part): boolean => kind === 'tool_call' || kind === 'tool_result';

/** Marks the end of the last message if the client requests caching of the whole request. */
function markLast(messages: readonly JsonObject[], { call }: MediaFacts, points: CachePoints): void {
  const content = messages.at(-1)?.['content'];
  if (call.cache?.auto !== true || !Array.isArray(content)) return;
  const { ttl } = call.cache;
  const isTtl = ttl === '5m' || ttl === '1h' || ttl === '30m';
  points.add(content as JsonObject[], isTtl ? { ttl } : {}, pathOf(call, 'cache'));
}

function encodeSystem(parts: readonly Part[], { call }: MediaFacts, points: CachePoints): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const part of parts) {
    if (part.kind !== 'text' || isBlank(part.text)) continue;
    blocks.push({ text: part.text });
    points.add(blocks, part.cache, partPath(call, part, 'cache'), true);
  }
  return blocks;
}

/** Paths of the contents with a document, by the numbers of the encoded messages. */
type DocumentPaths = Map<number, string>;

function withDocument(paths: DocumentPaths, message: MergedTurn, index: number): void {
  const document = message.parts.find((part) => part.kind === 'media' && part.media === 'document');
  if (document === undefined || paths.has(index)) return;
  paths.set(index, document.at?.replace(/\.\d+$/, '') ?? message.at);
}

/** Refuses messages with a document but without text, which Bedrock does not accept. */
function requireText(
  messages: readonly JsonObject[],
  documents: DocumentPaths,
  { losses }: MediaFacts,
): void {
  for (const [index, path] of documents) {
    if (contentOf(messages[index]).some((block) => 'text' in block)) continue;
    losses.refuse(path, 'A message with a document must also have a text that is not empty.');
  }
}

/**
 * Returns whether thinking may be on: with it, an assistant message whose tool results come last
 * must begin with reasoning.
 */
function startsWithThinking(messages: readonly JsonObject[]): boolean {
  const last = messages.at(-1);
  const isResult = contentOf(last).some((block) => 'toolResult' in block);
  if (last?.['role'] !== 'user' || !isResult) return true;
  const [first] = contentOf(messages.at(-2));
  return first !== undefined && 'reasoningContent' in first;
}

const contentOf = (message: JsonObject | undefined): readonly JsonObject[] =>
  (message?.['content'] ?? []) as readonly JsonObject[];
