import { asObject, asString } from '@gw/dialects';
import type { JsonObject } from '../../provider';

interface OpenBlock {
  /** Index among the tool calls of the response; -1 for other blocks. */
  readonly tool: number;
  /** Arguments that came with the block itself; sent at its end unless deltas bring others. */
  readonly input: unknown;
  hasInput: boolean;
}

/** Maximum number of content blocks; further ones are not translated. */
const BLOCKS_MAX = 4_096;

/** Translates the content blocks of one message stream to deltas of a chat completion. */
export class BlockTranslator {
  private readonly open = new Map<unknown, OpenBlock>();
  private tools = 0;
  private seen = 0;

  /** Returns zero or more `delta` objects for one event; none for pings and unknown events. */
  translate(event: JsonObject): JsonObject[] {
    switch (event['type']) {
      case 'content_block_start':
        return this.start(event['index'], asObject(event['content_block']) ?? {});
      case 'content_block_delta':
        return this.delta(event['index'], asObject(event['delta']) ?? {});
      case 'content_block_stop':
        return this.stop(event['index']);
      default:
        return [];
    }
  }

  private start(index: unknown, block: JsonObject): JsonObject[] {
    this.seen += 1;
    if (this.seen > BLOCKS_MAX) return [];
    const type = asString(block['type']) ?? '';
    const tool = type === 'tool_use' ? this.tools++ : -1;
    this.open.set(index, { tool, input: block['input'] ?? {}, hasInput: false });
    switch (type) {
      case 'text':
        return textDelta('content', block['text']);
      case 'thinking':
        return textDelta('reasoning_content', block['thinking']);
      case 'redacted_thinking':
        return [{ thinking_blocks: [{ index, ...block }] }];
      case 'tool_use': {
        const called = { name: block['name'], arguments: '' };
        return [{ tool_calls: [{ index: tool, id: block['id'], type: 'function', function: called }] }];
      }
      default:
        return [{ content_blocks: [{ index, content_block: block }] }];
    }
  }

  private delta(index: unknown, delta: JsonObject): JsonObject[] {
    const block = this.open.get(index);
    if (block === undefined) return [];
    switch (delta['type']) {
      case 'text_delta':
        return textDelta('content', delta['text']);
      case 'thinking_delta':
        return textDelta('reasoning_content', delta['thinking']);
      case 'signature_delta':
        return [{ thinking_blocks: [{ index, type: 'thinking', signature: delta['signature'] }] }];
      case 'input_json_delta':
        if (block.tool < 0) return [{ content_blocks: [{ index, delta }] }];
        return this.input(block, asString(delta['partial_json']) ?? '');
      default:
        return [{ content_blocks: [{ index, delta }] }];
    }
  }

  private input(block: OpenBlock, json: string): JsonObject[] {
    if (json === '') return [];
    block.hasInput = true;
    return [{ tool_calls: [{ index: block.tool, function: { arguments: json } }] }];
  }

  /**
   * Ends a block. A call without arguments has no input deltas, but clients parse the arguments, so
   * they get an empty object.
   */
  private stop(index: unknown): JsonObject[] {
    const block = this.open.get(index);
    this.open.delete(index);
    return block === undefined || block.tool < 0 || block.hasInput
      ? []
      : this.input(block, JSON.stringify(block.input));
  }
}

const textDelta = (name: string, text: unknown): JsonObject[] =>
  typeof text === 'string' && text !== '' ? [{ [name]: text }] : [];
