import type { JsonObject, Part, SystemPart, Turn } from '../call';
import { invalid } from '../losses';
import { membersBesides, optional, read, required } from '../values/json';
import { decodeContent } from './decode-content';
import {
  decodeOtherItem,
  decodeReasoning,
  decodeToolCall,
  decodeToolResult,
  isCarrier,
} from './decode-items';
import { isModelItem } from './items';
import { DIALECT, withOwn, type MessageMark } from './own';

/**
 * Maximum number of items of `input` and their parts, which are translated in one turn of the event
 * loop.
 */
const ENTRIES_MAX = 20_000;
const MESSAGE = new Set(['role', 'content']);

export interface DecodedInput {
  readonly system: readonly SystemPart[];
  readonly turns: readonly Turn[];
}

interface OpenTurn {
  readonly role: Turn['role'];
  readonly parts: Part[];
  readonly at: string;
  readonly own?: JsonObject;
  hasText?: boolean;
  hasCalls?: boolean;
}

/**
 * Collects items into turns: consecutive items of the model form one turn, and so do consecutive
 * tool results.
 */
class TurnCollector {
  readonly system: SystemPart[] = [];
  private readonly turns: OpenTurn[] = [];
  /** Calls of the history, by id. */
  private readonly calls = new Set<string>();
  /** Paths of the calls without a result, by id. */
  private readonly pending = new Map<string, string>();

  constructor(private readonly hasEarlierState: boolean) {}

  take(item: JsonObject, index: number): void {
    const at = `input.${String(index)}`;
    const type = itemType(item, at);
    switch (type) {
      case 'message':
        this.takeMessage(item, index, at);
        break;
      case 'function_call':
      case 'custom_tool_call': {
        const call = decodeToolCall(item, at);
        this.calls.add(call.id);
        this.pending.set(call.id, at);
        this.addCall(call);
        break;
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.takeResult(decodeToolResult(item, at), at);
        break;
      case 'reasoning':
        this.takeReasoning(item, at);
        break;
      default:
        this.add(isModelItem(type) ? 'assistant' : 'user', decodeOtherItem(item, type, at), at);
    }
  }

  decoded(): DecodedInput {
    if (this.turns.length === 0) {
      const parts = this.system.map(({ text, at }): Part => ({ kind: 'text', text, ...optional('at', at) }));
      this.turns.push({ role: 'system', parts, at: 'input' });
      this.system.length = 0;
    }
    const turns = this.turns.map(({ role, parts: collected, at, own }, index): Turn => {
      const parts = withCarriedSeals(collected);
      const last = parts.at(-1);
      const isPrefill = index === this.turns.length - 1 && role === 'assistant' && last?.kind === 'text';
      return {
        role,
        parts,
        at,
        ...(isPrefill ? { prefill: true } : {}),
        ...(own === undefined ? {} : { x: { [DIALECT]: own } }),
      };
    });
    return { system: this.system, turns };
  }

  private takeMessage(item: JsonObject, index: number, at: string): void {
    const role = required(read.string(item['role'], `${at}.role`), `${at}.role`, 'the role of the message');
    const rest = membersBesides(item, MESSAGE) ?? {};
    const path = `${at}.content`;
    const content = required(item['content'] ?? undefined, path, 'a text or a list of content parts');
    switch (role) {
      case 'assistant': {
        const message: MessageMark = { index, item: rest };
        const parts = decodeContent(content, path, { own: { message } });
        this.startAssistant();
        for (const part of parts) this.add('assistant', part, at);
        break;
      }
      case 'user':
        this.checkPending();
        this.turns.push({ role: 'user', parts: decodeContent(content, path), at, own: { rest } });
        break;
      case 'system':
      case 'developer':
        this.takeSystem(role, decodeContent(content, path), { index, item: rest }, at);
        break;
      default:
        throw invalid(`${at}.role`, 'The role must be user, assistant, system or developer.');
    }
  }

  private takeSystem(
    role: 'system' | 'developer',
    parts: readonly Part[],
    message: MessageMark,
    at: string,
  ): void {
    const texts = parts.flatMap((part) => (part.kind === 'text' ? [part] : []));
    if (this.turns.length > 0 || texts.length < parts.length) {
      this.turns.push({ role: 'system', parts: [...parts], at, own: { rest: message.item, role } });
      return;
    }
    for (const { text, cache, at: partAt = at } of texts) {
      this.system.push({
        role,
        text,
        at: partAt,
        ...(cache === undefined ? {} : { cache }),
        ...withOwn({ message }),
      });
    }
  }

  private takeReasoning(item: JsonObject, at: string): void {
    const part = decodeReasoning(item, 'openai', at);
    this.add('assistant', part, at);
  }

  /** Adds a call, with the seal of a carrier before it. */
  private addCall(call: Part & { readonly kind: 'tool_call' }): void {
    const parts = this.turns.at(-1)?.role === 'assistant' ? this.turns.at(-1)?.parts : undefined;
    const before = parts?.at(-1);
    if (before?.kind === 'reasoning' && isCarrier(before) && before.seal !== undefined) {
      parts?.pop();
      this.add('assistant', { ...call, seal: before.seal }, call.at ?? '');
      return;
    }
    this.add('assistant', call, call.at ?? '');
  }

  private takeResult(part: Part, at: string): void {
    if (part.kind === 'tool_result') {
      if (!this.calls.has(part.callId) && !this.hasEarlierState) {
        throw invalid(`${at}.call_id`, 'No call with this call_id comes before this output.');
      }
      this.pending.delete(part.callId);
    }
    const last = this.turns.at(-1);
    if (last?.role === 'user' && last.parts.at(-1)?.kind === 'tool_result') last.parts.push(part);
    else this.turns.push({ role: 'user', parts: [part], at });
  }

  /** Starts a new assistant turn, unless calls of the current one still lack results. */
  private startAssistant(): void {
    const last = this.turns.at(-1);
    if (last?.role !== 'assistant') return;
    if (last.hasText === true && last.hasCalls !== true)
      this.turns.push({ role: 'assistant', parts: [], at: '' });
  }

  private add(role: 'user' | 'assistant', part: Part, at: string): void {
    let last = this.turns.at(-1);
    if (last?.role !== role || role === 'user') {
      last = { role, parts: [part], at };
      this.turns.push(last);
    } else if (last.parts.length === 0) {
      last = { role, parts: [part], at };
      this.turns[this.turns.length - 1] = last;
    } else last.parts.push(part);
    if (part.kind === 'tool_call') last.hasCalls = true;
    else if (part.kind === 'text' || part.kind === 'refusal') last.hasText = true;
  }

  private checkPending(): void {
    for (const at of this.pending.values()) {
      throw invalid(`${at}.call_id`, 'This call has no output before the next user message; add its output.');
    }
  }
}

/** Moves the seals of carriers that no call took to the part before them. */
function withCarriedSeals(parts: readonly Part[]): readonly Part[] {
  if (!parts.some((part) => part.kind === 'reasoning' && isCarrier(part))) return parts;
  const kept: Part[] = [];
  for (const part of parts) {
    const last = kept.at(-1);
    const isSealed =
      last === undefined || ((last.kind === 'text' || last.kind === 'tool_call') && last.seal !== undefined);
    if (part.kind === 'reasoning' && isCarrier(part) && part.seal !== undefined && !isSealed) {
      if (last.kind === 'text' || last.kind === 'tool_call') {
        kept[kept.length - 1] = { ...last, seal: part.seal };
        continue;
      }
    }
    kept.push(part);
  }
  return kept;
}

/**
 * Returns the type of an item. It may be absent for a message, and for an item reference, which has
 * only an id.
 */
function itemType(item: JsonObject, at: string): string {
  const type = read.string(item['type'], `${at}.type`);
  if (type !== undefined) return type;
  if (item['role'] === undefined && item['id'] !== undefined) return 'item_reference';
  return 'message';
}

function refuseTooMany(items: readonly JsonObject[]): void {
  let entries = items.length;
  for (const { content, output, summary } of items) {
    for (const list of [content, output, summary]) if (Array.isArray(list)) entries += list.length;
    if (entries > ENTRIES_MAX) break;
  }
  if (entries > ENTRIES_MAX) {
    throw invalid('input', `input may have at most ${String(ENTRIES_MAX)} items and parts; send fewer.`);
  }
}

/**
 * Decodes `input`. `hasEarlierState` tells whether calls may be in an earlier response that only
 * the provider has.
 */
export function decodeInput(input: unknown, hasEarlierState: boolean): DecodedInput {
  if (typeof input === 'string') {
    return {
      system: [],
      turns: [{ role: 'user', parts: [{ kind: 'text', text: input, at: 'input' }], at: 'input' }],
    };
  }
  const items = required(read.objects(input, 'input'), 'input', 'a text or a list of items');
  if (items.length === 0) throw invalid('input', 'input must be a text or a list of at least one item.');
  refuseTooMany(items);
  const hasReferences = items.some(
    (item, index) => itemType(item, `input.${String(index)}`) === 'item_reference',
  );
  const collector = new TurnCollector(hasEarlierState || hasReferences);
  for (const [index, item] of items.entries()) collector.take(item, index);
  return collector.decoded();
}
