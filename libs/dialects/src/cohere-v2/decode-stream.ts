import type { JsonObject } from '../call';
import type { ProviderContext } from '../codec';
import { readFault } from '../errors/read-fault';
import { argumentsText } from '../openai-chat/decode-response';
import { BROKEN_STREAM, SseDecoder } from '../stream/decoder-base';
import { asArray, asNumber, asObject, asString, isAbsent } from '../values/json';
import { citationsIn, readCitation } from './citations';
import { citedIndex, readLogprobs, readToolCall } from './decode-response';
import { readFinish } from './finish';
import { readUsage } from './usage';

/** An open text or reasoning block. */
interface OpenContent {
  readonly kind: 'text' | 'reasoning';
  /** Index in the content, or `PLAN`. */
  readonly index: number;
  readonly block: number;
  /** Code units of the message's text before this block. */
  readonly offset: number;
}

const PLAN = -1;

type Handler = (index: number, message: JsonObject, event: JsonObject) => void;

/**
 * Reads the events of `/v2/chat`. Content and tool calls have separate indexes. A text stays open
 * after `content-end` until another block begins, because its citations may follow.
 */
export class CohereStreamDecoder extends SseDecoder {
  private id = '';
  private content: OpenContent | null = null;
  /** Index of the content that `content-start` announced as thinking. */
  private thinking = PLAN;
  private readonly calls = new Map<number, number>();
  private callCount = 0;
  /** Code units of all text so far. */
  private written = 0;

  private readonly handlers: Readonly<Record<string, Handler>> = {
    'content-start': (index, message) => {
      const item = asObject(message['content']) ?? {};
      this.thinking = item['type'] === 'thinking' ? index : PLAN;
      this.fill(index, item);
    },
    'content-delta': (index, message, event) => {
      this.fill(index, asObject(message['content']) ?? {});
      const items = readLogprobs(asObject(event['logprobs']) ?? {});
      if (items.length > 0) this.out.push({ t: 'logprobs', c: 0, i: this.content?.block ?? 0, items });
    },
    'content-end': () => {
      if (this.content?.kind === 'reasoning') this.closeContent();
    },
    'tool-plan-delta': (_index, message) => {
      this.text('text', PLAN, asString(message['tool_plan']) ?? '');
    },
    'tool-call-start': (index, message) => {
      this.startCall(index, message);
    },
    'tool-call-delta': (index, message) => {
      const block = this.calls.get(index);
      if (block !== undefined) this.args(block, callIn(message));
    },
    'tool-call-end': (index) => {
      const block = this.calls.get(index);
      if (block !== undefined) this.out.close(block);
      this.calls.delete(index);
    },
    'citation-start': (_index, message) => {
      for (const data of citationsIn(message['citations'])) this.cite(data);
    },
    'message-end': (_index, _message, event) => {
      this.finish(asObject(event['delta']) ?? {});
    },
  };

  constructor(private readonly context: ProviderContext) {
    super();
  }

  protected override onEvent(event: JsonObject, name: string): void {
    const type = asString(event['type']) ?? name;
    if (type === '' || type === 'error') {
      this.out.fail(readFault('cohere', 200, {}, event));
      return;
    }
    this.start(event);
    const handler = Object.hasOwn(this.handlers, type) ? this.handlers[type] : undefined;
    const message = asObject(asObject(event['delta'])?.['message']) ?? {};
    handler?.(asNumber(event['index']) ?? 0, message, event);
  }

  private start(event: JsonObject): void {
    if (this.out.isStarted) return;
    this.id = asString(event['id']) ?? this.context.requestId;
    this.out.start(this.id, this.context.target.model, this.context.createdAt);
  }

  private fill(index: number, item: JsonObject): void {
    const thinking = asString(item['thinking']);
    if (thinking !== null) this.text('reasoning', index, thinking);
    const text = asString(item['text']);
    if (text !== null) this.text(index === this.thinking ? 'reasoning' : 'text', index, text);
  }

  private text(kind: OpenContent['kind'], index: number, text: string): void {
    if (text === '') return;
    if (this.content?.kind !== kind || this.content.index !== index) {
      this.closeContent();
      const block = this.out.open(0, { kind, text: '' });
      this.content = { kind, index, block, offset: this.written };
    }
    this.out.text(0, this.content.block, text);
    if (kind === 'text') this.written += text.length;
  }

  private closeContent(): void {
    if (this.content !== null) this.out.close(this.content.block);
    this.content = null;
  }

  private startCall(index: number, message: JsonObject): void {
    this.closeContent();
    const call = callIn(message);
    const block = this.out.open(0, readToolCall(call, this.id, this.callCount));
    this.callCount += 1;
    this.calls.set(index, block);
    this.args(block, call);
  }

  private args(block: number, call: JsonObject): void {
    const text = argumentsText(asObject(call['function'])?.['arguments']);
    if (text === null) this.out.fail(BROKEN_STREAM);
    else this.out.args(0, block, text);
  }

  /** Adds a citation to the open text; a citation of an earlier text is too late and dropped. */
  private cite(data: JsonObject): void {
    const { content } = this;
    if (content?.kind !== 'text' || citedIndex(data, content.index) !== content.index) return;
    for (const citation of readCitation(data, content.offset))
      this.out.push({ t: 'cite', c: 0, i: content.block, citation });
  }

  private finish(delta: JsonObject): void {
    const { out } = this;
    const finish = readFinish(delta['finish_reason'], this.callCount > 0, this.context.call);
    const usage = readUsage(delta['usage']);
    if (!isAbsent(delta['error'])) {
      if (usage !== undefined) out.push({ t: 'usage', usage });
      out.fail(readFault('cohere', 200, {}, delta));
      return;
    }
    if (finish.reason === 'error' && !out.hasBlocks) {
      out.fail(BROKEN_STREAM);
      return;
    }
    out.finish(0, finish);
    if (usage !== undefined) out.push({ t: 'usage', usage });
    out.done();
  }
}

/** Returns the tool call of an event, which is an object or the only item of a list. */
const callIn = (message: JsonObject): JsonObject => {
  const calls = message['tool_calls'];
  return asObject(asArray(calls)?.[0] ?? calls) ?? {};
};
