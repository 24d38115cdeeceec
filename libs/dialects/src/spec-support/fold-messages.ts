import { list, object, text, type Json } from './json-values';

/**
 * Accumulates events like `MessageStream` of the Anthropic package. Throws for blocks out of order.
 */
export function foldMessages(events: readonly Json[]): Json {
  const folded = new FoldedMessage();
  for (const event of events) folded.take(event);
  return { ...folded.message, content: folded.content };
}

class FoldedMessage {
  message: Json = {};
  readonly content: Json[] = [];
  private readonly inputs = new Map<Json, string>();

  take(event: Json): void {
    switch (event['type']) {
      case 'message_start':
        this.message = { ...object(event['message']) };
        break;
      case 'content_block_start':
        if (event['index'] !== this.content.length) throw new Error('A block is out of order.');
        this.content.push({ ...object(event['content_block']) });
        break;
      case 'content_block_delta':
        this.delta(this.blockOf(event), object(event['delta']));
        break;
      case 'content_block_stop':
        this.stop(this.blockOf(event));
        break;
      case 'message_delta': {
        const usage = Object.entries(object(event['usage'] ?? {})).filter(([, value]) => value !== null);
        const before = object(this.message['usage']);
        this.message = {
          ...this.message,
          ...object(event['delta']),
          usage: { ...before, ...Object.fromEntries(usage) },
        };
        break;
      }
    }
  }

  private blockOf(event: Json): Json {
    const block = this.content[Number(event['index'])];
    if (block === undefined) throw new Error('An event of a block that is not open.');
    return block;
  }

  private delta(block: Json, delta: Json): void {
    switch (delta['type']) {
      case 'text_delta':
        block['text'] = text(block['text']) + text(delta['text']);
        break;
      case 'thinking_delta':
        block['thinking'] = text(block['thinking']) + text(delta['thinking']);
        break;
      case 'signature_delta':
        block['signature'] = delta['signature'];
        break;
      case 'input_json_delta':
        this.inputs.set(block, (this.inputs.get(block) ?? '') + text(delta['partial_json']));
        break;
      case 'citations_delta':
        block['citations'] = [...list(block['citations']), object(delta['citation'])];
        break;
    }
  }

  private stop(block: Json): void {
    const input = this.inputs.get(block) ?? '';
    if (input !== '') block['input'] = JSON.parse(input) as unknown;
  }
}
