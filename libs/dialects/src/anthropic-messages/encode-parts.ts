import {
  partPath,
  type HostedPart,
  type JsonObject,
  type ModelCall,
  type OpaquePart,
  type Part,
  type ReasoningPart,
  type SearchResultPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../call';
import type { LossLedger } from '../losses';
import { compact } from '../values/json';
import { ArgumentsReader } from '../values/tool-arguments';
import { ANTHROPIC_ID, validId } from '../values/tool-ids';
import type { CacheMarks } from './cache-marks';
import { anthropicBlock } from './chat-extensions';
import { ownCitations } from './citations';
import { encodeMedia } from './encode-media';
import { DIALECT, own } from './paths';

export const TOOL_NAME = /^[A-Za-z0-9_-]{1,128}$/;
export const isBlank = (text: string): boolean => text.trim() === '';

/** Encodes the parts of one call. */
export class PartEncoder {
  private readonly args = new ArgumentsReader();

  constructor(
    private readonly call: ModelCall,
    private readonly losses: LossLedger,
    private readonly marks: CacheMarks,
  ) {}

  /** Encodes the parts of one message. Empty texts are left out, because Anthropic refuses them. */
  message(parts: readonly Part[]): JsonObject[] {
    const blocks: JsonObject[] = [];
    for (const [index, part] of parts.entries()) {
      if (isEmptyText(part) && !isBetweenReasoning(parts, index)) continue;
      const block = this.block(part);
      if (block === null) continue;
      this.marks.add(block, markOf(part), partPath(this.call, part, 'cache'));
      blocks.push(block);
    }
    return blocks;
  }

  private block(part: Part): JsonObject | null {
    switch (part.kind) {
      case 'text':
        return this.text(part);
      case 'refusal':
        return { type: 'text', text: part.text };
      case 'media':
        return encodeMedia(part, this.call, this.losses);
      case 'tool_call':
        return this.toolUse(part);
      case 'tool_result':
        return this.toolResult(part);
      case 'reasoning':
        return this.thinking(part);
      case 'hosted_call':
      case 'hosted_result':
        return this.hosted(part);
      case 'search_result':
        return this.searchResult(part);
      case 'opaque':
        return this.opaque(part);
    }
  }

  private opaque(part: OpaquePart): JsonObject | null {
    if (part.dialect === DIALECT) return { ...part.data };
    const block = anthropicBlock(part);
    if (block !== null) return this.block(block);
    this.losses.refuse(this.at(part), 'Anthropic has no part of this type.');
    return null;
  }

  private text(part: TextPart): JsonObject {
    const citations = part.citations === undefined ? undefined : ownCitations(part.citations);
    if (citations !== undefined && citations.length < (part.citations?.length ?? 0))
      this.losses.note(partPath(this.call, part, 'citations'));
    return {
      type: 'text',
      text: part.text,
      ...(citations === undefined || citations.length === 0 ? {} : { citations }),
      ...own(part),
    };
  }

  private toolUse(part: ToolCallPart): JsonObject | null {
    if (part.custom === true) {
      this.losses.refuse(this.at(part), 'Anthropic has no tools with free text as arguments.');
      return null;
    }
    if (!TOOL_NAME.test(part.name)) {
      this.losses.refuse(
        partPath(this.call, part, 'name'),
        'Anthropic takes tool names of 1 to 128 letters, digits, _ and - only.',
      );
      return null;
    }
    return {
      type: 'tool_use',
      id: validId(part.id, ANTHROPIC_ID),
      name: part.name,
      input: this.args.read(part.args, partPath(this.call, part, 'arguments')),
      ...own(part),
    };
  }

  private toolResult(part: ToolResultPart): JsonObject {
    const content = this.message(part.parts);
    return compact({
      type: 'tool_result',
      tool_use_id: validId(part.callId, ANTHROPIC_ID),
      content: content.length === 0 ? undefined : content,
      is_error: part.error,
      ...own(part),
    });
  }

  /** Encodes reasoning that Anthropic has signed. Other reasoning is left out. */
  private thinking(part: ReasoningPart): JsonObject | null {
    const { seal, text } = part;
    if (seal?.by !== 'anthropic') {
      this.losses.note(this.at(part));
      return null;
    }
    return seal.redacted === true
      ? { type: 'redacted_thinking', data: seal.value }
      : { type: 'thinking', thinking: text, signature: seal.value };
  }

  private hosted(part: HostedPart): JsonObject | null {
    if (part.dialect === DIALECT) return { ...part.data };
    if (part.tool === 'web_search') this.losses.note(this.at(part));
    else this.losses.refuse(this.at(part), `Anthropic cannot read a call of ${part.tool}.`);
    return null;
  }

  private searchResult(part: SearchResultPart): JsonObject {
    const { source, title, citations } = part;
    return compact({
      type: 'search_result',
      source,
      title,
      content: this.message(part.parts),
      citations: citations === undefined ? undefined : { enabled: citations },
      ...own(part),
    });
  }

  private at(part: Part): string {
    return part.at ?? partPath(this.call, part, 'name');
  }
}

/** Returns the cache mark of a part; undefined for thinking, which Anthropic does not mark. */
function markOf(part: Part): Part['cache'] {
  if (part.kind === 'reasoning' || part.cache === undefined) return undefined;
  return part.x?.['openai-chat']?.['prompt_cache_breakpoint'] === undefined ? part.cache : { ttl: '30m' };
}

const isEmptyText = (part: Part): boolean =>
  (part.kind === 'text' || part.kind === 'refusal') && isBlank(part.text);

/**
 * Returns whether a part is between reasoning parts. Empty texts there are kept, because Anthropic
 * checks the order of signed thinking.
 */
const isBetweenReasoning = (parts: readonly Part[], index: number): boolean =>
  parts[index - 1]?.kind === 'reasoning' && parts[index + 1]?.kind === 'reasoning';
