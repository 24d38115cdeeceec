import type { JsonObject, SealMaker } from '../call';
import type { ProviderContext, StreamDecoder } from '../codec';
import { BROKEN_STREAM, SseDecoder } from '../stream/decoder-base';
import { asNumber, asObject, asString, objectsOf } from '../values/json';
import { decodeAnnotation } from './annotations';
import { decodeOtherItem, decodeReasoning } from './decode-items';
import { decodeCallItem } from './decode-response';
import { decodeFault } from './faults';
import { decodeFinish } from './finish';
import { decodeLogprobs } from './logprobs';
import { withOwn } from './own';
import { makerOf } from './seals';
import { decodeUsage } from './usage';

const C = 0;
/** Maximum number of items of a response; a stream with more fails. */
const ITEMS_MAX = 4_096;

/** A content part of a message, or the text or arguments of another item. */
interface Block {
  readonly i: number;
  /** Code units of the message's text before this block. */
  readonly base: number;
  readonly isText: boolean;
  /** Code units written so far. */
  length: number;
  citations: number;
}

/**
 * Reads the lifecycle events of a response. Items and parts are recognised by their indexes,
 * because ids may be missing.
 */
class ResponsesDecoder extends SseDecoder {
  private readonly blocks = new Map<string, Block>();
  private readonly doneItems = new Set<number>();
  /** Indexes of reasoning items whose content is streamed instead of the summary. */
  private readonly contents = new Set<number>();
  private textLength = 0;
  private hasCalls = false;
  private hasRefusal = false;
  private searches = 0;
  private readonly maker: SealMaker;

  constructor(private readonly context: ProviderContext) {
    super();
    this.maker = makerOf(context.target);
  }

  protected onEvent(event: JsonObject, name: string): void {
    const type = asString(event['type']) ?? name;
    if (type === 'error' || asObject(event['error']) !== null) {
      this.out.fail(decodeFault(asObject(event['error']) ?? event));
      return;
    }
    const response = asObject(event['response']);
    if (response !== null) this.onLifecycle(type, response);
    else if (event['response'] === undefined) this.onItemEvent(type, event);
    else this.out.fail(BROKEN_STREAM);
  }

  /** Handles the end mark of Chat Completions, which some compatible servers send. */
  protected override onText(data: string): boolean {
    return data === '[DONE]';
  }

  private onLifecycle(type: string, response: JsonObject): void {
    this.start(response);
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        this.complete(response);
        break;
      case 'response.failed':
      case 'response.cancelled': {
        const usage = decodeUsage(response['usage'], this.searches);
        if (usage !== undefined) this.out.push({ t: 'usage', usage });
        this.out.fail(decodeFault(asObject(response['error']) ?? {}));
        break;
      }
      default:
    }
  }

  private start(response: JsonObject = {}): void {
    this.out.start(
      asString(response['id']) ?? this.context.requestId,
      asString(response['model']) ?? '',
      asNumber(response['created_at']) ?? this.context.createdAt,
    );
  }

  private complete(response: JsonObject): void {
    for (const [index, item] of objectsOf(response['output']).entries()) this.onItemDone(item, index);
    this.out.finish(C, decodeFinish(response, { calls: this.hasCalls, refusal: this.hasRefusal }));
    const usage = decodeUsage(response['usage'], this.searches);
    if (usage !== undefined) this.out.push({ t: 'usage', usage });
    this.out.done();
  }

  private onItemEvent(type: string, event: JsonObject): void {
    this.start();
    const index = asNumber(event['output_index']) ?? 0;
    switch (type) {
      case 'response.output_item.added':
        this.onItemAdded(asObject(event['item']) ?? {}, index);
        break;
      case 'response.output_item.done':
        this.onItemDone(asObject(event['item']) ?? {}, index);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.fill(this.blocks.get(callKey(index)), asString(event['delta']));
        break;
      case 'response.reasoning_summary_part.added':
        this.onSummaryPart(index);
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.onReasoning(index, type === 'response.reasoning_text.delta', event);
        break;
      default:
        this.onContentEvent(type, event, index);
    }
  }

  private onContentEvent(type: string, event: JsonObject, index: number): void {
    const key = contentKey(index, event);
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.onTextDelta(key, type === 'response.refusal.delta', index, event);
        break;
      case 'response.output_text.annotation.added': {
        const annotation = asObject(event['annotation']);
        const block = this.blocks.get(key);
        if (annotation !== null && block !== undefined) this.cite(block, annotation);
        break;
      }
      case 'response.content_part.done':
        this.onPartDone(key, asObject(event['part']) ?? {}, index);
        break;
      default:
        // Events with whole texts repeat the deltas and are ignored. The progress of a hosted tool
        // keeps the client's connection alive.
        if (type.includes('_call.')) this.out.push({ t: 'ping' });
    }
  }

  private onItemAdded(item: JsonObject, index: number): void {
    if (item['type'] === 'function_call' || item['type'] === 'custom_tool_call') this.openCall(item, index);
  }

  private openCall(item: JsonObject, index: number): Block {
    const found = this.blocks.get(callKey(index));
    if (found !== undefined) return found;
    this.hasCalls = true;
    const part = decodeCallItem(item);
    const block = this.opened(callKey(index), this.out.open(C, { ...part, args: '' }), false);
    this.fill(block, part.args);
    return block;
  }

  private opened(key: string, i: number, isText: boolean): Block {
    const block: Block = { i, base: this.textLength, isText, length: 0, citations: 0 };
    this.blocks.set(key, block);
    return block;
  }

  private fill(block: Block | undefined, text: string | null): void {
    if (block === undefined || text === null) return;
    block.length += text.length;
    if (block.isText) this.textLength += text.length;
    this.out.args(C, block.i, text);
  }

  private append(block: Block, text: string): void {
    block.length += text.length;
    if (block.isText) this.textLength += text.length;
    this.out.text(C, block.i, text);
  }

  private onTextDelta(key: string, isRefusal: boolean, index: number, event: JsonObject): void {
    const text = asString(event['delta']) ?? '';
    if (text !== '') this.append(this.openText(key, isRefusal, index), text);
    const items = decodeLogprobs(event['logprobs']);
    const block = this.blocks.get(key);
    if (items.length > 0 && block !== undefined) this.out.push({ t: 'logprobs', c: C, i: block.i, items });
  }

  private openText(key: string, isRefusal: boolean, index: number): Block {
    const found = this.blocks.get(key);
    if (found !== undefined) return found;
    if (isRefusal) this.hasRefusal = true;
    const kind = isRefusal ? 'refusal' : 'text';
    const part = { kind, text: '', ...withOwn({ message: { index, item: {} } }) } as const;
    return this.opened(key, this.out.open(C, part), !isRefusal);
  }

  private cite(block: Block, annotation: JsonObject): void {
    block.citations += 1;
    this.out.push({ t: 'cite', c: C, i: block.i, citation: decodeAnnotation(annotation, block.base) });
  }

  /** Closes a part that was streamed; writes a part that was not streamed in one piece. */
  private onPartDone(key: string, part: JsonObject, index: number): void {
    const isRefusal = part['type'] === 'refusal';
    const whole = asString(part[isRefusal ? 'refusal' : 'text']) ?? '';
    const annotations = objectsOf(part['annotations']);
    const found = this.blocks.get(key);
    if (found === undefined && whole === '' && annotations.length === 0) return;
    if (found === undefined && part['type'] !== 'output_text' && !isRefusal) return;
    const block = found ?? this.openText(key, isRefusal, index);
    if (block.length === 0) this.append(block, whole);
    for (const annotation of annotations.slice(block.citations)) this.cite(block, annotation);
    this.out.close(block.i);
  }

  private onSummaryPart(index: number): void {
    const block = this.blocks.get(reasoningKey(index));
    if (block !== undefined && block.length > 0) this.append(block, '\n\n');
  }

  private onReasoning(index: number, isContent: boolean, event: JsonObject): void {
    const text = asString(event['delta']) ?? '';
    const found = this.blocks.get(reasoningKey(index));
    // Summary and content are equivalent; the one that arrived first is kept.
    if (text === '' || (found !== undefined && this.contents.has(index) !== isContent)) return;
    if (found === undefined && isContent) this.contents.add(index);
    this.append(found ?? this.openReasoning(index, asString(event['item_id']), isContent), text);
  }

  private openReasoning(index: number, id: string | null, isContent: boolean): Block {
    const part = {
      kind: 'reasoning',
      text: '',
      ...(isContent ? withOwn({ isContent }) : { summary: true }),
      ...(id === null ? {} : { itemId: id }),
    } as const;
    return this.opened(reasoningKey(index), this.out.open(C, part), false);
  }

  private onItemDone(item: JsonObject, index: number): void {
    if (this.doneItems.has(index)) return;
    this.doneItems.add(index);
    if (this.doneItems.size > ITEMS_MAX) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    const type = asString(item['type']) ?? '';
    switch (type) {
      case 'message':
        this.onMessageDone(item, index);
        break;
      case 'function_call':
      case 'custom_tool_call': {
        const { args } = decodeCallItem(item);
        const block = this.openCall(item, index);
        if (block.length === 0) this.fill(block, args);
        this.out.close(block.i);
        break;
      }
      case 'reasoning':
        this.onReasoningDone(item, index);
        break;
      default: {
        if (type === 'web_search_call') this.searches += 1;
        this.out.close(this.out.open(C, decodeOtherItem(item, type)));
      }
    }
  }

  private onMessageDone(item: JsonObject, index: number): void {
    for (const [position, part] of objectsOf(item['content']).entries()) {
      this.onPartDone(contentKey(index, { content_index: position }), part, index);
    }
  }

  private onReasoningDone(item: JsonObject, index: number): void {
    const part = decodeReasoning(item, this.maker);
    const found = this.blocks.get(reasoningKey(index));
    if (found === undefined) {
      if (part.text === '' && part.seal === undefined) return;
      this.out.close(this.out.open(C, part));
      return;
    }
    if (part.seal !== undefined) this.out.push({ t: 'seal', c: C, i: found.i, seal: part.seal });
    this.out.close(found.i);
  }
}

const callKey = (index: number): string => `call ${String(index)}`;
const reasoningKey = (index: number): string => `reasoning ${String(index)}`;
const contentKey = (index: number, event: JsonObject): string =>
  `content ${String(index)} ${String(asNumber(event['content_index']) ?? 0)}`;

export const decodeStream = (context: ProviderContext): StreamDecoder => new ResponsesDecoder(context);
