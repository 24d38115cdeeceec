import type { JsonObject } from '../call';
import { ChatStreamDecoder, type Choice } from '../openai-chat/decode-stream';
import { asString } from '../values/json';
import { readChunks, referenceCitation, type Chunk } from './chunks';

/** Position in the text of one candidate, in code units. */
interface Position {
  start: number;
  end: number;
}

/** Reads the chunks of Mistral's streams, whose content may be a list. */
export class MistralStreamDecoder extends ChatStreamDecoder {
  private readonly positions = new Map<number, Position>();

  protected override content(index: number, state: Choice, delta: JsonObject): void {
    const { content } = delta;
    if (!Array.isArray(content)) {
      super.content(index, state, delta);
      this.advance(index, asString(content)?.length ?? 0);
      return;
    }
    for (const chunk of readChunks(content)) this.chunk(index, state, chunk);
  }

  private chunk(index: number, state: Choice, chunk: Chunk): void {
    switch (chunk.kind) {
      case 'text':
        this.plain(index, state, 'text', chunk.text);
        this.advance(index, chunk.text.length);
        break;
      case 'thinking':
        this.thinking(index, state, chunk.text, chunk.signature);
        break;
      case 'reference':
        this.reference(index, state, chunk.data);
        break;
      case 'image':
        this.whole(index, state, chunk.part);
        break;
      case 'other':
        this.whole(index, state, { kind: 'opaque', dialect: 'mistral', data: chunk.data });
        break;
    }
  }

  private advance(index: number, length: number): void {
    if (length === 0) return;
    const { end } = this.positionOf(index);
    this.positions.set(index, { start: end, end: end + length });
  }

  private positionOf(index: number): Position {
    return this.positions.get(index) ?? { start: 0, end: 0 };
  }

  private thinking(index: number, state: Choice, text: string, signature: string): void {
    this.plain(index, state, 'reasoning', text);
    if (signature === '') return;
    const { block } =
      state.plain?.kind === 'reasoning' ? state.plain : this.openPlain(index, state, 'reasoning');
    this.out.push({ t: 'seal', c: index, i: block, seal: { by: 'mistral', value: signature } });
    // A signature ends its block.
    this.closePlain(state);
  }

  private reference(index: number, state: Choice, data: JsonObject): void {
    if (state.plain?.kind !== 'text') return;
    const { start, end } = this.positionOf(index);
    this.out.push({
      t: 'cite',
      c: index,
      i: state.plain.block,
      citation: referenceCitation(data, start, end),
    });
  }
}
