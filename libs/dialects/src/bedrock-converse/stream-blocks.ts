import type { JsonObject } from '../call';
import { BLOCKS_MAX, BROKEN_STREAM, HELD_TOTAL_MAX, type EventWriter } from '../stream/decoder-base';
import { asObject, asString, writtenJson, objectsOf, parseObject } from '../values/json';
import { decodeCitation, hostedCall, hostedResult, isHosted, redacted } from './response-blocks';

/**
 * Maximum characters of one block that are held: a seal, citations, the input of a hosted tool, or
 * text next to the output.
 */
const HELD_MAX = 1024 * 1024;

interface OpenBlock {
  readonly kind: 'text' | 'reasoning' | 'redacted' | 'call' | 'output' | 'hosted' | 'result';
  /** Number of the neutral block; -1 for one that is opened when it is complete. */
  readonly i: number;
  readonly data: JsonObject;
  /** Code units of text before the block. */
  readonly start: number;
  /** Seal, input of a hosted tool, or text next to the output. */
  held: string;
  items: JsonObject[];
  size: number;
  hasArgs: boolean;
}

export interface BlockFacts {
  readonly isClaude: boolean;
  /** Name of the tool whose arguments are the text of the response; null when there is none. */
  readonly outputTool: string | null;
}

/**
 * Turns the content blocks of a stream into events. Text and reasoning have no start: their first
 * delta opens them.
 */
export class StreamBlocks {
  hasCalls = false;
  hasOutput = false;
  private readonly open = new Map<number, OpenBlock>();
  private length = 0;
  /** Characters held of all open blocks, and of the text next to the output. */
  private held = 0;
  private opened = 0;
  /** Index of the open block of reasoning, which any other block ends. */
  private reasoningIndex: number | null = null;
  /**
   * Text next to the output tool's call; it becomes the response if the model does not call that
   * tool.
   */
  private aside = '';

  constructor(
    private readonly out: EventWriter,
    private readonly facts: BlockFacts,
  ) {}

  /** Whether any content was emitted. */
  get hasContent(): boolean {
    return this.opened > 0;
  }

  start(index: number, start: JsonObject): void {
    this.stopBefore(index);
    const toolUse = asObject(start['toolUse']);
    const result = asObject(start['toolResult']);
    if (toolUse !== null) this.startCall(index, toolUse);
    else if (result !== null) this.add(index, 'result', -1, result);
    // For a start without content, the deltas determine the kind of the block.
  }

  /**
   * Ends blocks that must not continue after the new block begins: another block at its index, and
   * reasoning, whose order is signed.
   */
  private stopBefore(index: number): void {
    this.stop(index);
    if (this.reasoningIndex !== null) this.stop(this.reasoningIndex);
  }

  private startCall(index: number, toolUse: JsonObject): void {
    const [id, name] = [asString(toolUse['toolUseId']), asString(toolUse['name'])];
    if (id === null || name === null) this.out.fail(BROKEN_STREAM);
    else if (isHosted(toolUse)) this.add(index, 'hosted', -1, toolUse);
    else if (name === this.facts.outputTool) {
      this.hasOutput = true;
      this.add(index, 'output', this.openPart({ kind: 'text', text: '' }));
    } else {
      this.hasCalls = true;
      this.add(index, 'call', this.openPart({ kind: 'tool_call', id, name, args: '' }));
    }
  }

  private openPart(part: Parameters<EventWriter['open']>[1]): number {
    this.opened += 1;
    return this.out.open(0, part);
  }

  private add(index: number, kind: OpenBlock['kind'], i: number, data: JsonObject = {}): OpenBlock {
    const block = { kind, i, data, start: this.length, held: '', items: [], size: 0, hasArgs: false };
    if (this.open.size >= BLOCKS_MAX) this.out.fail(BROKEN_STREAM);
    else this.open.set(index, block);
    if (kind === 'reasoning' || kind === 'redacted') this.reasoningIndex = index;
    return block;
  }

  delta(index: number, delta: JsonObject): void {
    const text = asString(delta['text']);
    if (text !== null) this.text(index, text);
    const reasoning = asObject(delta['reasoningContent']);
    if (reasoning !== null) this.reasoning(index, reasoning);
    const input = asString(asObject(delta['toolUse'])?.['input']);
    if (input !== null) this.input(this.open.get(index), input);
    const citation = asObject(delta['citation']);
    if (citation !== null) this.keep(this.blockOf(index, 'text'), citation);
    const result = this.open.get(index);
    if (result?.kind === 'result') for (const item of objectsOf(delta['toolResult'])) this.keep(result, item);
  }

  /** Returns the open block of this kind; another kind at the same index ends there. */
  private blockOf(index: number, kind: 'text' | 'reasoning' | 'redacted'): OpenBlock {
    const found = this.open.get(index);
    if (found?.kind === kind) return found;
    this.stopBefore(index);
    if (kind === 'redacted' || (kind === 'text' && this.facts.outputTool !== null))
      return this.add(index, kind, -1);
    return this.add(index, kind, this.openPart({ kind, text: '' }));
  }

  private text(index: number, text: string): void {
    const block = this.blockOf(index, 'text');
    this.length += text.length;
    if (block.i >= 0) this.out.text(0, block.i, text);
    else this.hold(block, text);
  }

  private reasoning(index: number, delta: JsonObject): void {
    const text = asString(delta['text']);
    if (text !== null) this.out.text(0, this.blockOf(index, 'reasoning').i, text);
    const signature = asString(delta['signature']);
    if (signature !== null) this.hold(this.blockOf(index, 'reasoning'), signature);
    const data = asString(delta['redactedContent']);
    if (data !== null) this.hold(this.blockOf(index, 'redacted'), data);
  }

  private input(block: OpenBlock | undefined, json: string): void {
    if (block === undefined || json === '') return;
    block.hasArgs = true;
    if (block.kind === 'call') this.out.args(0, block.i, json);
    else if (block.kind === 'output') this.out.text(0, block.i, json);
    else if (block.kind === 'hosted') this.hold(block, json);
  }

  private hold(block: OpenBlock, text: string): void {
    if (this.grow(block, text.length)) block.held += text;
  }

  private keep(block: OpenBlock, item: JsonObject): void {
    if (this.grow(block, sizeOf(item))) block.items.push(item);
  }

  private grow(block: OpenBlock, characters: number): boolean {
    block.size += characters;
    this.held += characters;
    if (block.size <= HELD_MAX && this.held <= HELD_TOTAL_MAX) return true;
    this.out.fail(BROKEN_STREAM);
    return false;
  }

  stop(index: number): void {
    const block = this.open.get(index);
    if (block === undefined) return;
    this.open.delete(index);
    if (index === this.reasoningIndex) this.reasoningIndex = null;
    this.fill(block);
    if (block.kind !== 'text' || block.i >= 0) this.held -= block.size;
    if (block.i >= 0) this.out.close(block.i);
  }

  /** Ends all blocks. Without a call of the output tool, the text is the response. */
  stopAll(): void {
    for (const index of this.open.keys()) this.stop(index);
    if (this.aside === '' || this.hasOutput) return;
    const i = this.openPart({ kind: 'text', text: '' });
    this.out.text(0, i, this.aside);
    this.out.close(i);
  }

  /** Adds the members that are complete only at the end of a block. */
  private fill(block: OpenBlock): void {
    switch (block.kind) {
      case 'text':
        this.fillText(block);
        break;
      case 'reasoning':
        this.fillSeal(block);
        break;
      case 'redacted':
        if (this.facts.isClaude) this.out.close(this.openPart(redacted(block.held)));
        break;
      case 'call':
      case 'output':
        if (!block.hasArgs) this.fillArgs(block);
        break;
      case 'hosted':
        this.out.close(this.openPart(hostedCall({ ...block.data, input: parseObject(block.held) ?? {} })));
        break;
      case 'result':
        this.out.close(this.openPart(hostedResult({ ...block.data, content: block.items })));
        break;
    }
  }

  /** Writes the arguments of a call that had no deltas. */
  private fillArgs({ kind, i }: OpenBlock): void {
    if (kind === 'call') this.out.args(0, i, '{}');
    else this.out.text(0, i, '{}');
  }

  private fillSeal({ held, i }: OpenBlock): void {
    if (held === '' || !this.facts.isClaude) return;
    this.out.push({ t: 'seal', c: 0, i, seal: { by: 'anthropic', value: held } });
  }

  private fillText(block: OpenBlock): void {
    this.aside += block.i < 0 ? block.held : '';
    if (block.i < 0) return;
    for (const data of block.items) {
      this.out.push({
        t: 'cite',
        c: 0,
        i: block.i,
        citation: decodeCitation(data, block.start, this.length),
      });
    }
  }
}

/**
 * Returns the number of characters of an item; infinite for one that is nested too deeply to
 * serialise.
 */
const sizeOf = (item: JsonObject): number => writtenJson(item)?.length ?? Infinity;
