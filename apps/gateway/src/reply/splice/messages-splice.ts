import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { addCounts, dataOf, objectOf, PartialText, type Splice } from './splice';

/** Splices events of Anthropic's messages. */
export class MessagesSplice implements Splice {
  complete = false;
  failed = false;
  private readonly text = new PartialText();
  private finished = false;
  private isFirst = true;
  /** The client's index of the open block; in `last`, that of the latest block. */
  private open: number | null = null;
  private last = -1;
  /** Offset of this response's block indices; null until its first block. */
  private offset: number | null = 0;
  /** Usage of this response; in `used`, that of the responses before it. */
  private usage: JsonObject = {};
  private used: JsonObject = {};

  event(event: Buffer): Buffer | null {
    const data = dataOf(event);
    const body = data === null ? null : objectOf(data);
    if (body === null) {
      if (data !== null) this.text.giveUp();
      return event;
    }
    const fitted = this.fitted(body);
    if (this.isFirst || fitted === null) return fitted === null ? null : event;
    return Buffer.concat(fitted.map(encoded));
  }

  partial(): string | null {
    return this.finished ? null : this.text.read();
  }

  continueWithNext(): void {
    this.isFirst = false;
    this.failed = false;
    this.offset = null;
    this.used = addCounts(this.used, this.usage);
    this.usage = {};
    this.text.continueWithNext();
  }

  /** Returns the events to send instead; null: none. */
  private fitted(body: JsonObject): JsonObject[] | null {
    switch (body['type']) {
      case 'message_start':
        return this.start(body);
      case 'content_block_start':
        return this.startBlock(body, indexOf(body));
      case 'content_block_delta':
        return this.delta(body);
      case 'content_block_stop':
        this.open = null;
        return [this.moved(body)];
      case 'message_delta':
        return [this.finish(body)];
      case 'message_stop':
        this.complete = true;
        return [body];
      case 'error':
        this.failed = true;
        return null;
      default:
        return [body];
    }
  }

  private start(body: JsonObject): JsonObject[] | null {
    const message = body['message'];
    if (isObject(message) && isObject(message['usage'])) this.usage = message['usage'];
    return this.isFirst ? [body] : null;
  }

  /**
   * Starts a block. Text continues in the client's open block; other content starts a new block.
   */
  private startBlock(body: JsonObject, index: number): JsonObject[] | null {
    const block = isObject(body['content_block']) ? body['content_block'] : {};
    const isText = block['type'] === 'text';
    if (!isText) this.text.giveUp();
    const begun = isText && typeof block['text'] === 'string' ? this.text.add(block['text']) : '';
    if (this.offset === null && this.open !== null && isText) {
      this.offset = this.open - index;
      if (begun === '') return null;
      const delta = { type: 'text_delta', text: begun };
      return [{ type: 'content_block_delta', index: this.open, delta }];
    }
    const closed = this.open === null ? [] : [{ type: 'content_block_stop', index: this.open }];
    this.offset ??= this.last + 1 - index;
    this.open = this.last = index + this.offset;
    const content = isText ? { ...block, text: begun } : block;
    return [...closed, { ...this.moved(body), content_block: content }];
  }

  private delta(body: JsonObject): JsonObject[] | null {
    const delta = isObject(body['delta']) ? body['delta'] : {};
    if (delta['type'] !== 'text_delta' || typeof delta['text'] !== 'string') return [this.moved(body)];
    const text = this.text.add(delta['text']);
    return text === '' && !this.isFirst ? null : [{ ...this.moved(body), delta: { ...delta, text } }];
  }

  private finish(body: JsonObject): JsonObject {
    const delta = body['delta'];
    if (isObject(delta) && delta['stop_reason'] !== null) this.finished = true;
    if (isObject(body['usage'])) this.usage = { ...this.usage, ...body['usage'] };
    return { ...body, usage: addCounts(this.used, this.usage) };
  }

  private moved(body: JsonObject): JsonObject {
    return { ...body, index: indexOf(body) + (this.offset ?? 0) };
  }
}

const indexOf = ({ index }: JsonObject): number => (typeof index === 'number' ? index : 0);

const encoded = (body: JsonObject): Buffer =>
  Buffer.from(`event: ${String(body['type'])}\ndata: ${JSON.stringify(body)}\n\n`);
