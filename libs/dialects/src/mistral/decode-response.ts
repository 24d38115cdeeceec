import type { Citation, JsonObject, Part, ReasoningPart, TextPart } from '../call';
import type { ProviderContext } from '../codec';
import {
  decodeResponse as decodeChatResponse,
  reasoningParts,
  type ContentReader,
} from '../openai-chat/decode-response';
import type { ModelResponse } from '../response';
import { asObject, asString, optional } from '../values/json';
import { readChunks, referenceCitation, type Chunk } from './chunks';

/**
 * Decodes a chat completion of Mistral, whose content may be a list of chunks. Throws
 * `provider_answer_invalid`.
 */
export function decodeResponse(body: JsonObject, context: ProviderContext): ModelResponse {
  const tier = asString(asObject(body['usage'])?.['service_tier']) ?? undefined;
  return { ...decodeChatResponse(body, context, readContent), ...optional('serviceTier', tier) };
}

const readContent: ContentReader = (message) => {
  const { content } = message;
  const chunks = new ChunkParts();
  for (const chunk of readChunks(content)) chunks.take(chunk);
  return [...(typeof content === 'string' ? reasoningParts(message) : []), ...chunks.parts];
};

/** Joins the chunks of one kind that follow each other. */
class ChunkParts {
  readonly parts: Part[] = [];
  private written = 0;
  private textStart = 0;
  /** Citations of the last text. */
  private citations: Citation[] = [];

  take(chunk: Chunk): void {
    switch (chunk.kind) {
      case 'text':
        this.text(chunk.text);
        break;
      case 'thinking':
        this.thinking(chunk.text, chunk.signature);
        break;
      case 'reference':
        this.reference(chunk.data);
        break;
      case 'image':
        this.parts.push(chunk.part);
        break;
      case 'other':
        this.parts.push({ kind: 'opaque', dialect: 'mistral', data: chunk.data });
        break;
    }
  }

  private text(text: string): void {
    if (text === '') return;
    this.textStart = this.written;
    this.written += text.length;
    const last = this.parts.at(-1);
    if (last?.kind === 'text') this.replace({ ...last, text: last.text + text });
    else this.parts.push({ kind: 'text', text });
  }

  private thinking(text: string, signature: string): void {
    const last = this.parts.at(-1);
    const open = last?.kind === 'reasoning' && last.seal === undefined ? last : undefined;
    if (open === undefined && text === '' && signature === '') return;
    const part: ReasoningPart = {
      kind: 'reasoning',
      text: (open?.text ?? '') + text,
      ...(signature === '' ? {} : { seal: { by: 'mistral', value: signature } as const }),
    };
    if (open === undefined) this.parts.push(part);
    else this.replace(part);
  }

  private reference(data: JsonObject): void {
    const last = this.parts.at(-1);
    if (last?.kind !== 'text') return;
    const citation = referenceCitation(data, this.textStart, this.written);
    if (last.citations === undefined) {
      this.citations = [citation];
      this.replace({ ...last, citations: this.citations });
    } else this.citations.push(citation);
  }

  private replace(part: TextPart | ReasoningPart): void {
    this.parts[this.parts.length - 1] = part;
  }
}
