import type { Citation, JsonObject, Part } from '../call';
import type { ProviderContext, StreamDecoder } from '../codec';
import { readFault } from '../errors/read-fault';
import type { Finish } from '../response';
import { BROKEN_STREAM, SseDecoder } from '../stream/decoder-base';
import { asNumber, asObject, asString, writtenJson, parseObject } from '../values/json';
import { decodeCitation } from './citations';
import { callExtensions, redacted } from './decode-response';
import { providerBlock } from './decode-parts';
import { OUTPUT_TOOL } from './encode-output';
import { decodeFinish, withoutToolUse } from './finish';
import { StreamUsage } from './usage';

/**
 * Maximum number of characters that are buffered for open blocks: signatures, citations, and inputs
 * of hosted tools.
 */
const HELD_MAX = 1024 * 1024;
/** Maximum number of open blocks; Anthropic opens one at a time. */
const OPEN_MAX = 256;

interface OpenBlock {
  /** Index of the neutral block; -1 for a block that is left out or not open yet. */
  readonly i: number;
  readonly kind: 'text' | 'thinking' | 'call' | 'output' | 'hosted' | 'other';
  readonly data: JsonObject;
  /** Code units of text before the block. */
  readonly start: number;
  citations: JsonObject[];
  /** Signature, or input of a hosted tool. */
  held: string;
  /** Characters held. */
  size: number;
  hasInput: boolean;
}

export const decodeStream = (context: ProviderContext): StreamDecoder => new MessageStream(context);

class MessageStream extends SseDecoder {
  private readonly open = new Map<number, OpenBlock>();
  private readonly usage = new StreamUsage();
  /** Code units of text so far. */
  private length = 0;
  /** Characters held for all open blocks. */
  private held = 0;
  private hasCalls = false;
  private hasOutput = false;
  private finish: Finish | null = null;

  constructor(private readonly context: ProviderContext) {
    super();
  }

  protected onEvent(event: JsonObject): void {
    switch (event['type']) {
      case 'message_start':
        this.start(asObject(event['message']) ?? {});
        break;
      case 'content_block_start':
        this.startBlock(asNumber(event['index']), asObject(event['content_block']));
        break;
      case 'content_block_delta':
        this.delta(this.blockOf(event), asObject(event['delta']) ?? {});
        break;
      case 'content_block_stop':
        this.stopBlock(event);
        break;
      case 'message_delta':
        this.messageDelta(event);
        break;
      case 'message_stop':
        this.stop();
        break;
      case 'ping':
        this.out.push({ t: 'ping' });
        break;
      case 'error':
        this.out.fail(readFault('anthropic', 200, {}, event));
        break;
      default:
      // Unknown types of events are ignored, because providers add new ones.
    }
  }

  /**
   * Starts the message. Fails the stream for a second start, because two overlapping messages must
   * not be merged.
   */
  private start(message: JsonObject): void {
    if (this.out.isStarted) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    const { requestId, createdAt } = this.context;
    const usage = this.usage.add(message['usage']);
    this.out.start(asString(message['id']) ?? requestId, asString(message['model']) ?? '', createdAt, usage);
  }

  private startBlock(index: number | null, block: JsonObject | null): void {
    if (index === null || block === null || this.open.has(index) || this.open.size >= OPEN_MAX) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    if (!this.out.isStarted) this.start({});
    const opened = this.opened(block);
    if (opened === null) this.out.fail(BROKEN_STREAM);
    else this.open.set(index, opened);
  }

  private opened(block: JsonObject): OpenBlock | null {
    const make = (kind: OpenBlock['kind'], part: Part | null): OpenBlock => ({
      i: part === null ? -1 : this.out.open(0, part),
      kind,
      data: block,
      start: this.length,
      citations: [],
      held: '',
      size: 0,
      hasInput: false,
    });
    switch (block['type']) {
      case 'text': {
        if (this.context.outputTool === true) return make('other', null);
        const opened = make('text', { kind: 'text', text: '' });
        this.text(opened, block['text']);
        return opened;
      }
      case 'thinking': {
        const opened = make('thinking', { kind: 'reasoning', text: '' });
        this.text(opened, block['thinking']);
        this.hold(opened, block['signature']);
        return opened;
      }
      case 'redacted_thinking':
        return make('other', redacted(asString(block['data']) ?? ''));
      case 'tool_use':
        return this.openedCall(block, make);
      case 'server_tool_use':
        return writtenJson(block) === null ? null : make('hosted', null);
      default:
        if (writtenJson(block) === null) return null;
        return make('other', providerBlock(asString(block['type']) ?? '', block));
    }
  }

  private openedCall(
    block: JsonObject,
    make: (kind: OpenBlock['kind'], part: Part) => OpenBlock,
  ): OpenBlock | null {
    const [id, name] = [asString(block['id']), asString(block['name'])];
    if (id === null || name === null || writtenJson(block) === null) return null;
    if (this.context.outputTool === true && name === OUTPUT_TOOL) {
      this.hasOutput = true;
      return make('output', { kind: 'text', text: '' });
    }
    this.hasCalls = true;
    return make('call', { kind: 'tool_call', id, name, args: '', ...callExtensions(block) });
  }

  private blockOf(event: JsonObject): OpenBlock | undefined {
    return this.open.get(asNumber(event['index']) ?? -1);
  }

  private delta(block: OpenBlock | undefined, delta: JsonObject): void {
    if (block === undefined) return;
    switch (delta['type']) {
      case 'text_delta':
        this.text(block, delta['text']);
        break;
      case 'thinking_delta':
        this.text(block, delta['thinking']);
        break;
      case 'signature_delta':
        this.hold(block, delta['signature']);
        break;
      case 'input_json_delta':
        this.input(block, asString(delta['partial_json']) ?? '');
        break;
      case 'citations_delta':
        this.cite(block, asObject(delta['citation']));
        break;
      default:
      // Unknown types of deltas are ignored, because providers add new ones.
    }
  }

  private text(block: OpenBlock, text: unknown): void {
    if (typeof text !== 'string' || block.i < 0) return;
    if (block.kind === 'text') this.length += text.length;
    if (block.kind === 'text' || block.kind === 'thinking') this.out.text(0, block.i, text);
  }

  private input(block: OpenBlock, json: string): void {
    if (json === '') return;
    block.hasInput = true;
    if (block.kind === 'call') this.out.args(0, block.i, json);
    else if (block.kind === 'output') this.out.text(0, block.i, json);
    else this.hold(block, json);
  }

  private hold(block: OpenBlock, text: unknown): void {
    if (typeof text !== 'string' || !this.grow(block, text.length)) return;
    block.held += text;
  }

  private cite(block: OpenBlock, citation: JsonObject | null): void {
    if (citation !== null && this.grow(block, writtenJson(citation)?.length ?? Infinity))
      block.citations.push(citation);
  }

  private grow(block: OpenBlock, characters: number): boolean {
    block.size += characters;
    this.held += characters;
    if (this.held <= HELD_MAX) return true;
    this.out.fail(BROKEN_STREAM);
    return false;
  }

  private stopBlock(event: JsonObject): void {
    const block = this.blockOf(event);
    if (block === undefined) return;
    this.open.delete(event['index'] as number);
    this.held -= block.size;
    if (block.kind === 'hosted') this.out.close(this.out.open(0, hostedCall(block)));
    if (block.i < 0) return;
    this.fill(block);
    this.out.close(block.i);
  }

  /** Adds the members that are complete only at the end of a block. */
  private fill(block: OpenBlock): void {
    // A call without arguments has no deltas.
    const input = JSON.stringify(asObject(block.data['input']) ?? {});
    if (block.kind === 'call' && !block.hasInput) this.out.args(0, block.i, input);
    if (block.kind === 'output' && !block.hasInput) this.out.text(0, block.i, input);
    if (block.kind === 'thinking' && block.held !== '')
      this.out.push({ t: 'seal', c: 0, i: block.i, seal: { by: 'anthropic', value: block.held } });
    for (const data of block.citations) {
      const citation: Citation = decodeCitation(data, block.start, this.length);
      this.out.push({ t: 'cite', c: 0, i: block.i, citation });
    }
  }

  private messageDelta(event: JsonObject): void {
    if (!this.out.isStarted) this.start({});
    const delta = asObject(event['delta']) ?? {};
    const usage = this.usage.add(event['usage']);
    if (asString(delta['stop_reason']) !== null && this.finish === null) {
      const finish = decodeFinish(delta, this.hasCalls || this.hasOutput);
      this.finish = this.hasOutput ? withoutToolUse(finish) : finish;
      this.out.finish(0, this.finish);
    }
    if (usage !== undefined) this.out.push({ t: 'usage', usage });
  }

  /** Ends the message. A message without a stop reason is incomplete. */
  private stop(): void {
    if (this.finish === null) this.out.fail(BROKEN_STREAM);
    else this.out.done();
  }
}

/** Returns the part of a hosted call, whose input arrived in fragments. */
function hostedCall({ data, held }: OpenBlock): Part {
  const input = held === '' ? undefined : parseObject(held);
  return providerBlock(
    asString(data['type']) ?? '',
    input === undefined || input === null ? data : { ...data, input },
  );
}
