import type {
  HostedPart,
  JsonObject,
  ModelCall,
  OpaquePart,
  Part,
  SystemPart,
  ToolCallPart,
  Turn,
} from '../call';
import { optional } from '../values/json';
import { madeCallId } from '../values/tool-ids';
import { encodeInputParts, encodeOutputPart, isOwnCall, type PartContext } from './encode-content';
import { encodeReasoningItem, encodeToolCall, encodeToolResult, isMessagePart } from './encode-items';
import { DIALECT, ownOf } from './own';

export interface EncodedInput {
  readonly instructions?: string;
  readonly input: readonly JsonObject[];
}

interface KnownCall {
  readonly id: string;
  readonly custom: boolean;
}

/** Provides ids for the calls of a history, also for dialects without ids. */
class CallIds {
  private readonly byId = new Map<string, KnownCall>();
  /** Calls without an id by name, in their order. */
  private readonly unnamed = new Map<string, { readonly calls: KnownCall[]; next: number }>();
  private count = 0;

  idOf({ id, name, custom = false }: ToolCallPart): string {
    this.count += 1;
    if (id !== '') {
      this.byId.set(id, { id, custom });
      return id;
    }
    const made: KnownCall = { id: madeCallId('history', 0, this.count), custom };
    const named = this.unnamed.get(name);
    if (named === undefined) this.unnamed.set(name, { calls: [made], next: 0 });
    else named.calls.push(made);
    return made.id;
  }

  /**
   * Returns the call that a result belongs to: the one with its id, else the first of its name
   * without a result.
   */
  callOf(callId: string, name = ''): KnownCall {
    if (callId !== '') return this.byId.get(callId) ?? { id: callId, custom: false };
    const named = this.unnamed.get(name);
    const found = named?.calls[named.next];
    if (named !== undefined) named.next += 1;
    return found ?? { id: madeCallId('history', 1, this.count), custom: false };
  }
}

/** A message item of the assistant to which parts are added. */
interface OpenMessage {
  readonly index: number | undefined;
  readonly content: JsonObject[];
  textLength: number;
}

class InputEncoder {
  readonly items: JsonObject[] = [];
  private readonly ids = new CallIds();

  constructor(private readonly context: PartContext) {}

  system(parts: readonly SystemPart[]): void {
    let last: { readonly index: number; readonly content: JsonObject[] } | undefined;
    for (const part of parts) {
      const { message } = ownOf(part);
      const { text, cache, at } = part;
      const content = encodeInputParts(
        [{ kind: 'text', text, ...optional('cache', cache), ...optional('at', at) }],
        this.context,
      );
      if (message !== undefined && last?.index === message.index) {
        last.content.push(...content);
        continue;
      }
      this.items.push({ ...message?.item, role: part.role, content });
      last = message === undefined ? undefined : { index: message.index, content };
    }
  }

  turn(turn: Turn): void {
    const { losses, call } = this.context;
    if (turn.name !== undefined) losses.note(`${turn.at ?? call.paths.turns ?? 'turns'}.name`);
    switch (turn.role) {
      case 'assistant':
        this.assistant(turn);
        break;
      case 'system':
        this.message(turn, turn.x?.[DIALECT]?.['role'] === 'developer' ? 'developer' : 'system', turn.parts);
        break;
      case 'user':
        this.user(turn);
        break;
    }
  }

  private user(turn: Turn): void {
    const rest: Part[] = [];
    for (const part of turn.parts) {
      if (part.kind === 'tool_result') {
        const call = this.ids.callOf(part.callId, part.name);
        this.items.push(encodeToolResult(part, call, this.context));
      } else if (isOwnItem(part)) {
        if (ownOf(part).isAbsent !== true) this.items.push(part.data);
      } else rest.push(part);
    }
    if (rest.length > 0 || turn.parts.length === 0) this.message(turn, 'user', rest);
  }

  private message(turn: Turn, role: string, parts: readonly Part[]): void {
    const content = encodeInputParts(parts, this.context);
    if (content.length === 0 && parts.length > 0) return;
    this.items.push({ ...ownOf(turn).rest, role, content });
  }

  private assistant(turn: Turn): void {
    this.checkPrefill(turn);
    let message: OpenMessage | undefined;
    for (const part of turn.parts) {
      if (isMessagePart(part)) message = this.messagePart(part, message);
      else {
        message = undefined;
        this.assistantItem(part);
      }
    }
  }

  private checkPrefill(turn: Turn): void {
    const { losses, call } = this.context;
    if (turn.prefill !== true || isOwnCall(call)) return;
    losses.refuse(
      turn.at ?? call.paths.turns ?? 'turns',
      'The Responses API cannot continue an assistant message; end the conversation with a user message.',
    );
  }

  /**
   * Adds a part to the open message, or to a new one if the client had the part in another message.
   */
  private messagePart(part: Part, open: OpenMessage | undefined): OpenMessage {
    const mark = ownOf(part).message;
    let message = open;
    if (message === undefined || message.index !== mark?.index) {
      message = { index: mark?.index, content: [], textLength: 0 };
      this.items.push({ ...mark?.item, role: 'assistant', content: message.content });
    }
    const item = encodeOutputPart(part, message.textLength, this.context);
    if (item !== null) message.content.push(item);
    if (part.kind === 'text') message.textLength += part.text.length;
    return message;
  }

  private assistantItem(part: Part): void {
    switch (part.kind) {
      case 'reasoning': {
        const item = encodeReasoningItem(part, this.context);
        if (item !== null) this.items.push(item);
        break;
      }
      case 'tool_call':
        this.items.push(encodeToolCall(part, this.ids.idOf(part)));
        break;
      case 'tool_result':
        this.items.push(encodeToolResult(part, this.ids.callOf(part.callId, part.name), this.context));
        break;
      case 'hosted_call':
      case 'hosted_result':
      case 'opaque':
        this.foreignItem(part);
        break;
      case 'text':
      case 'refusal':
      case 'media':
      case 'search_result':
        break;
    }
  }

  private foreignItem(part: HostedPart | OpaquePart): void {
    const { losses, call } = this.context;
    const at = part.at ?? call.paths.turns ?? 'turns';
    if (part.dialect === DIALECT) this.items.push(part.data);
    // The text of the message contains the results of the search.
    else if (part.kind !== 'opaque' && part.tool === 'web_search') losses.note(at);
    else losses.refuse(at, 'The Responses API has no such block; remove it.');
  }
}

const isOwnItem = (part: Part): part is HostedPart | OpaquePart =>
  (part.kind === 'opaque' || part.kind === 'hosted_call' || part.kind === 'hosted_result') &&
  part.dialect === DIALECT &&
  ownOf(part).isItem === true;

/**
 * Encodes system text and turns. The first system text becomes `instructions`, unless it is an item
 * of the client or has a cache mark.
 */
export function encodeInput(call: ModelCall, context: PartContext): EncodedInput {
  const encoder = new InputEncoder(context);
  const [first, ...others] = call.system;
  const hasInstructions =
    first !== undefined &&
    ownOf(first).message === undefined &&
    !(first.cache !== undefined && context.target.capabilities.cacheBreakpoints);
  encoder.system(hasInstructions ? others : call.system);
  for (const turn of call.turns) encoder.turn(turn);
  return { ...(hasInstructions ? { instructions: first.text } : {}), input: encoder.items };
}
