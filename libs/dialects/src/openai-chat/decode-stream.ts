import type { JsonObject, Part } from '../call';
import type { ProviderContext } from '../codec';
import type { ProviderFault, TokenUsage } from '../response';
import { readFault } from '../errors/read-fault';
import { BLOCKS_MAX, CUT_STREAM, BROKEN_STREAM, SseDecoder } from '../stream/decoder-base';
import { asNumber, asObject, asString, isAbsent, objectsOf } from '../values/json';
import { callIdOf } from '../values/tool-ids';
import {
  argumentsText,
  googleSignature,
  imageParts,
  plainText,
  readAnnotations,
  readLogprobs,
  reasoningText,
  thinkingText,
} from './decode-response';
import { readFinish } from './finish';
import { usageIn } from './usage';

/** Maximum number of characters that are buffered for calls whose name has not arrived yet. */
const HELD_MAX = 1024 * 1024;
const CANDIDATES_MAX = 128;

interface OpenCall {
  id: string;
  name: string;
  /** Arguments that arrived before the name. */
  held: string;
  signature: string | null;
  /** Index of the call's block; -1 until the name is known. */
  block: number;
  readonly position: number;
  readonly custom: boolean;
}

interface PlainBlock {
  readonly kind: 'text' | 'reasoning' | 'refusal';
  readonly block: number;
}

export interface Choice {
  /** Open text, reasoning or refusal block. */
  plain: PlainBlock | null;
  readonly calls: Map<number, OpenCall>;
  lastCall: number;
  finish: string | null;
}

/**
 * Reads chat completion chunks of all compatible providers. Finish and usage are reported at the
 * end mark, because either may arrive first, twice, or before further calls.
 */
export class ChatStreamDecoder extends SseDecoder {
  private readonly choices = new Map<number, Choice>();
  private usage: TokenUsage | undefined;
  private held = 0;
  private callCount = 0;
  private id = '';

  constructor(private readonly context: ProviderContext) {
    super();
  }

  protected override onEvent(chunk: JsonObject): void {
    if (!isAbsent(chunk['error']) && chunk['error'] !== false) {
      this.out.fail(chunkFault(chunk['error']));
      return;
    }
    if (chunk['object'] === 'error') {
      this.out.fail(readFault('vllm', 200, {}, chunk));
      return;
    }
    this.start(chunk);
    this.usage = usageIn(chunk) ?? this.usage;
    for (const choice of objectsOf(chunk['choices'])) this.choice(choice);
  }

  protected override onText(data: string): boolean {
    if (data !== '[DONE]') return false;
    this.complete();
    return true;
  }

  /**
   * Completes a stream that the provider closes after the last finish reason without an end mark.
   */
  protected override onEnd(): void {
    this.complete();
  }

  private complete(): void {
    const choices = [...this.choices];
    if (choices.length === 0 || choices.some(([, { finish }]) => finish === null)) {
      this.out.fail(CUT_STREAM);
      return;
    }
    if (!this.out.hasBlocks && choices.every(([, choice]) => hasFailed(choice))) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    for (const [index, choice] of choices) {
      for (const call of choice.calls.values()) this.open(index, call);
      this.out.finish(index, readFinish(choice.finish, choice.calls.size > 0));
    }
    if (this.usage !== undefined) this.out.push({ t: 'usage', usage: this.usage });
    this.out.done();
  }

  private start(chunk: JsonObject): void {
    if (this.out.isStarted) return;
    this.id = asString(chunk['id']) ?? this.context.requestId;
    const model = asString(chunk['model']) ?? this.context.target.model;
    this.out.start(this.id, model, asNumber(chunk['created']) ?? this.context.createdAt);
  }

  private choice(choice: JsonObject): void {
    const index = asNumber(choice['index']) ?? 0;
    const state = this.stateOf(index);
    const delta = asObject(choice['delta']) ?? asObject(choice['message']);
    if (delta !== null) this.delta(index, state, delta);
    const logprobs = readLogprobs(choice['logprobs']);
    if (logprobs !== null && logprobs.length > 0) {
      this.out.push({ t: 'logprobs', c: index, i: state.plain?.block ?? 0, items: logprobs });
    }
    const reason = asString(choice['finish_reason']);
    if (reason !== null && reason !== '') state.finish ??= reason;
  }

  private stateOf(index: number): Choice {
    let state = this.choices.get(index);
    if (state === undefined) {
      state = { plain: null, calls: new Map(), lastCall: -1, finish: null };
      if (this.choices.size >= CANDIDATES_MAX) this.out.fail(BROKEN_STREAM);
      this.choices.set(index, state);
    }
    return state;
  }

  private delta(index: number, state: Choice, delta: JsonObject): void {
    this.content(index, state, delta);
    this.plain(index, state, 'refusal', asString(delta['refusal']) ?? '');
    for (const citation of readAnnotations(delta['annotations'])) {
      if (state.plain !== null) this.out.push({ t: 'cite', c: index, i: state.plain.block, citation });
    }
    for (const part of imageParts(delta)) this.whole(index, state, part);
    for (const call of objectsOf(delta['tool_calls'])) this.call(index, state, call);
    const old = asObject(delta['function_call']);
    if (old !== null) this.call(index, state, { index: 0, function: old });
  }

  /** Reads the reasoning and the content of a delta. */
  protected content(index: number, state: Choice, delta: JsonObject): void {
    const { content } = delta;
    const thought = reasoningText(delta);
    this.plain(index, state, 'reasoning', thought === '' ? thinkingText(content) : thought);
    this.plain(index, state, 'text', plainText(content));
  }

  protected plain(index: number, state: Choice, kind: PlainBlock['kind'], text: string): void {
    if (text === '') return;
    const { block } = state.plain?.kind === kind ? state.plain : this.openPlain(index, state, kind);
    this.out.text(index, block, text);
  }

  /** Opens a block after closing the open one. */
  protected openPlain(index: number, state: Choice, kind: PlainBlock['kind']): PlainBlock {
    this.closePlain(state);
    state.plain = { kind, block: this.out.open(index, { kind, text: '' }) };
    return state.plain;
  }

  /** Writes a part that arrives in one piece. */
  protected whole(index: number, state: Choice, part: Part): void {
    this.closePlain(state);
    this.out.close(this.out.open(index, part));
  }

  protected closePlain(state: Choice): void {
    if (state.plain !== null) this.out.close(state.plain.block);
    state.plain = null;
  }

  /**
   * Handles a fragment of a call. Without an index, a new id or a second name begins the next call;
   * otherwise the fragment belongs to the last call.
   */
  private call(index: number, state: Choice, fragment: JsonObject): void {
    const id = asString(fragment['id']) ?? '';
    state.lastCall = asNumber(fragment['index']) ?? nextPosition(state, fragment, id);
    const found = state.calls.get(state.lastCall);
    // Some servers send all calls with the same index.
    const isOther = id !== '' && found?.id !== id && isNamedAgain(found, fragment);
    if (isOther && found !== undefined) this.out.close(found.block);
    const call = found === undefined || isOther ? this.begunCall(state, fragment) : found;
    this.fill(index, state, call, fragment, id);
  }

  private begunCall({ calls, lastCall: position }: Choice, fragment: JsonObject): OpenCall {
    if (this.callCount >= BLOCKS_MAX) this.out.fail(BROKEN_STREAM);
    this.callCount += 1;
    const custom = asObject(fragment['custom']) !== null;
    const call = { id: '', name: '', custom, held: '', signature: null, block: -1, position };
    calls.set(position, call);
    return call;
  }

  private fill(index: number, state: Choice, call: OpenCall, fragment: JsonObject, id: string): void {
    const called = asObject(fragment['function']) ?? asObject(fragment['custom']) ?? {};
    if (call.id === '') call.id = id;
    call.signature ??= googleSignature(fragment);
    const json = argumentsText(called['arguments'] ?? called['input']);
    if (json === null) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    if (call.block >= 0) {
      this.out.args(index, call.block, json);
      return;
    }
    call.name += asString(called['name']) ?? '';
    call.held += json;
    this.held += json.length;
    if (this.held > HELD_MAX) this.out.fail(BROKEN_STREAM);
    if (call.name === '') return;
    this.closePlain(state);
    this.open(index, call);
  }

  private open(index: number, call: OpenCall): void {
    if (call.block >= 0) return;
    const { name, signature, custom } = call;
    const id = callIdOf(call.id, this.id, index, call.position);
    const seal = signature === null ? {} : { seal: { by: 'google', value: signature } as const };
    call.block = this.out.open(index, {
      kind: 'tool_call',
      id,
      name,
      args: '',
      ...(custom ? { custom } : {}),
      ...seal,
    });
    this.out.args(index, call.block, call.held);
    this.held -= call.held.length;
    call.held = '';
  }
}

/** Returns the position of the call that a fragment without an index belongs to. */
function nextPosition({ calls, lastCall }: Choice, fragment: JsonObject, id: string): number {
  const last = calls.get(lastCall);
  const isNew = id === '' ? isNamedAgain(last, fragment) : last?.id !== id;
  return isNew || last === undefined ? lastCall + 1 : lastCall;
}

/** Returns whether a fragment has a name although that of the call is already complete. */
const isNamedAgain = (call: OpenCall | undefined, fragment: JsonObject): boolean =>
  call !== undefined &&
  call.block >= 0 &&
  (asString((asObject(fragment['function']) ?? asObject(fragment['custom']))?.['name']) ?? '') !== '';

/** Returns whether a choice ended with an error before it had content. */
const hasFailed = ({ finish, calls }: Choice): boolean =>
  calls.size === 0 && readFinish(finish, false).reason === 'error';

/** Reads the error of a chunk: an object, or a text. */
const chunkFault = (error: unknown): ProviderFault => readFault('openai', 200, {}, { error });
