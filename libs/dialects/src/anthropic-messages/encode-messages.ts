import { partPath, pathOf, type JsonObject, type ModelCall, type Part } from '../call';
import { invalid, type LossLedger } from '../losses';
import type { Target } from '../target';
import { append, mergeTurns, prefillPath, systemParts, type MergedTurn } from '../values/merged-turns';
import type { CacheMarks } from './cache-marks';
import { isBlank, PartEncoder } from './encode-parts';
import { own } from './paths';

export interface EncodedMessages {
  readonly system: JsonObject[];
  readonly messages: JsonObject[];
  /** Whether the last assistant message starts with thinking, or its tool calls need none. */
  readonly hasThinking: boolean;
  /** Path of a last assistant turn that the response should continue. */
  readonly prefill?: string;
}

/**
 * Encodes the system text and the turns. Neighbours of one role become one message, with tool
 * results first.
 */
export function encodeMessages(
  call: ModelCall,
  target: Target,
  losses: LossLedger,
  marks: CacheMarks,
): EncodedMessages {
  const keepsSystem = (before: MergedTurn | undefined): boolean =>
    target.capabilities.laterSystem && !waitsForResults(before);
  const { messages, hoisted } = mergeTurns(call, losses, keepsSystem);
  const encoder = new PartEncoder(call, losses, marks);
  const system = encodeSystem([...systemParts(call), ...hoisted], call, marks);
  const encoded: JsonObject[] = [];
  let last: MergedTurn | undefined;
  for (const message of messages) {
    const content = encoder.message(message.parts);
    if (content.length === 0) {
      if (!losses.isRefused) refuseEmptyEnd(message, messages);
      continue;
    }
    const before = encoded.at(-1);
    // Merges again, because an empty message between two messages of one role was left out.
    if (before?.['role'] === message.role) append(before['content'] as JsonObject[], content);
    else encoded.push({ role: message.role, content, ...own(message.first) });
    last = message;
  }
  if (encoded.length === 0 && !losses.isRefused)
    throw invalid(
      pathOf(call, 'turns'),
      'The messages have no content that Anthropic takes: their text is empty.',
    );
  const prefill = prefillPath(last);
  return {
    system,
    messages: encoded,
    hasThinking: startsWithThinking(encoded),
    ...(prefill === undefined ? {} : { prefill }),
  };
}

/**
 * Refuses a call whose last user message is empty, because leaving it out would change the request.
 */
function refuseEmptyEnd(message: MergedTurn, messages: readonly MergedTurn[]): void {
  if (message.role === 'user' && message === messages.at(-1))
    throw invalid(message.at, 'The last message is empty; Anthropic refuses empty text.');
}

function encodeSystem(parts: readonly Part[], call: ModelCall, marks: CacheMarks): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const part of parts) {
    if (part.kind !== 'text' || isBlank(part.text)) continue;
    const block: JsonObject = { type: 'text', text: part.text, ...own(part) };
    marks.add(block, part.cache, partPath(call, part, 'cache'), true);
    blocks.push(block);
  }
  return blocks;
}

const waitsForResults = (message: MergedTurn | undefined): boolean =>
  message?.role === 'assistant' && message.parts.some(({ kind }) => kind === 'tool_call');

/**
 * Returns whether thinking may be on: with it, an assistant message whose tool results come last
 * must start with thinking.
 */
function startsWithThinking(messages: readonly JsonObject[]): boolean {
  const last = messages.at(-1);
  const isResult = ((last?.['content'] ?? []) as JsonObject[]).some(({ type }) => type === 'tool_result');
  if (last?.['role'] !== 'user' || !isResult) return true;
  const [first] = (messages.at(-2)?.['content'] ?? []) as JsonObject[];
  return first?.['type'] === 'thinking' || first?.['type'] === 'redacted_thinking';
}
