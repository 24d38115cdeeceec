import {
  partPath,
  pathOf,
  type ModelCall,
  type Part,
  type TextPart,
  type ToolCallPart,
  type Turn,
} from '../call';
import { invalid, type LossLedger } from '../losses';

/** Consecutive turns of one role, for dialects whose roles must alternate. */
export interface MergedTurn {
  readonly role: Turn['role'];
  /** Parts of the merged turns. */
  readonly parts: Part[];
  /** Path of the first turn. */
  readonly at: string;
  readonly first: Turn;
}

export interface MergedTurns {
  readonly messages: MergedTurn[];
  /** Parts of later system turns that become system text. */
  readonly hoisted: Part[];
}

/**
 * Merges consecutive turns of one role, with tool results first. Later system turns become system
 * text unless `keepsSystem` returns true for the message before them. Throws `validation_failed`
 * for calls and results that do not match.
 */
export function mergeTurns(
  call: ModelCall,
  losses: LossLedger,
  keepsSystem: (before: MergedTurn | undefined) => boolean,
): MergedTurns {
  const found: MergedTurn[] = [];
  const hoisted: Part[] = [];
  for (const turn of call.turns) {
    const at = turn.at ?? pathOf(call, 'turns');
    if (turn.name !== undefined) losses.note(`${at}.name`);
    const last = found.at(-1);
    if (turn.role === 'system' && !keepsSystem(last)) {
      append(hoisted, systemTexts(turn, call, losses));
      losses.note(at, 'moved', 'system');
    } else if (last?.role === turn.role) append(last.parts, turn.parts);
    else found.push({ role: turn.role, parts: [...turn.parts], at, first: turn });
  }
  const messages = found.map(withResultsFirst(found));
  checkCalls(messages, call);
  trimPrefill(messages, losses);
  return { messages, hoisted };
}

/** Appends items one by one, because a spread call overflows the stack for a long list. */
export function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}

/** Returns the texts of a later system turn; refuses its other parts. */
export function systemTexts({ parts, at }: Turn, call: ModelCall, losses: LossLedger): TextPart[] {
  const isText = (part: Part): part is TextPart => part.kind === 'text';
  for (const part of parts) {
    if (!isText(part))
      losses.refuse(part.at ?? at ?? pathOf(call, 'turns'), 'A system message takes text only.');
  }
  return parts.filter(isText);
}

/** Returns the leading system texts as parts. */
export const systemParts = (call: ModelCall): Part[] =>
  call.system.map(({ role: _role, ...part }) => ({ kind: 'text', ...part }));

/** Returns the path of a last assistant message that ends in text, which the response continues. */
export function prefillPath(last: MergedTurn | undefined): string | undefined {
  if (last?.role !== 'assistant') return undefined;
  const end = last.parts.at(-1);
  return end?.kind === 'text' || end?.kind === 'refusal' ? last.at : undefined;
}

/** Puts tool results in front of the other parts of a user message, in the order of their calls. */
const withResultsFirst =
  (messages: readonly MergedTurn[]) =>
  (message: MergedTurn, index: number): MergedTurn => {
    const results = message.parts.filter((part) => part.kind === 'tool_result');
    if (message.role !== 'user' || results.length === 0) return message;
    const order = new Map<string, number>();
    for (const part of messages[index - 1]?.parts ?? [])
      if (part.kind === 'tool_call') order.set(part.id, order.size);
    const rank = (id: string): number => order.get(id) ?? order.size;
    const others = message.parts.filter((part) => part.kind !== 'tool_result');
    results.sort((one, other) => rank(one.callId) - rank(other.callId));
    return { ...message, parts: [...results, ...others] };
  };

/**
 * Checks that each tool result has its call in the message before, and that each call has its
 * result in the message after it.
 */
function checkCalls(messages: readonly MergedTurn[], call: ModelCall): void {
  let open = new Map<string, ToolCallPart>();
  for (const { role, parts } of messages) {
    if (role !== 'user') refuseUnanswered(open, call);
    for (const part of parts) {
      if (part.kind !== 'tool_result') continue;
      if (!open.delete(part.callId))
        throw invalid(
          partPath(call, part, 'callId'),
          'The tool result has no tool call in the message before it, or the call already has a result.',
        );
    }
    refuseUnanswered(open, call);
    open = new Map();
    if (role !== 'assistant') continue;
    for (const part of parts) if (part.kind === 'tool_call') open.set(part.id, part);
  }
}

function refuseUnanswered(open: ReadonlyMap<string, ToolCallPart>, call: ModelCall): void {
  for (const part of open.values())
    throw invalid(part.at ?? pathOf(call, 'turns'), 'The tool call has no result in the message after it.');
}

/** Removes white space at the end of a prefill, which providers refuse. */
function trimPrefill(messages: readonly MergedTurn[], losses: LossLedger): void {
  const last = messages.at(-1);
  const part = last?.parts.at(-1);
  if (last?.role !== 'assistant' || part?.kind !== 'text') return;
  const text = part.text.trimEnd();
  if (text === part.text) return;
  last.parts[last.parts.length - 1] = { ...part, text };
  losses.note(part.at ?? last.at, 'approximated', 'without white space at the end');
}
