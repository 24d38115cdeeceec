import {
  partPath,
  type HostedPart,
  type JsonObject,
  type Part,
  type ReasoningPart,
  type RefusalPart,
  type SearchResultPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../call';
import { ArgumentsReader } from '../values/tool-arguments';
import { BEDROCK_ID, MISTRAL_ID, validId } from '../values/tool-ids';
import type { CachePoints } from './cache-points';
import { encodeMedia, type MediaFacts } from './encode-media';

/** Names of tools that Bedrock takes. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const NAME_RULE = 'Bedrock takes tool names of 1 to 64 letters, digits, _ and - only.';
export const isBlank = (text: string): boolean => text.trim() === '';

/** Encodes the parts of one call. */
export class PartEncoder {
  private readonly args = new ArgumentsReader();

  constructor(
    private readonly facts: MediaFacts,
    private readonly points: CachePoints,
  ) {}

  /**
   * Appends the parts of a message to its content; each cache point is an element of its own. Blank
   * texts are left out, because Bedrock refuses them.
   */
  append(content: JsonObject[], parts: readonly Part[]): void {
    for (const part of parts) {
      const encoded = this.part(part);
      if (encoded === null) continue;
      content.push(encoded);
      // Reasoning cannot be marked.
      if (part.kind === 'reasoning') continue;
      const marked = part.kind === 'tool_result' ? markedPart(part) : part;
      this.points.add(content, marked.cache, this.path(marked, 'cache'));
    }
  }

  private part(part: Part): JsonObject | null {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return this.text(part);
      case 'media':
        return encodeMedia(part, this.facts);
      case 'tool_call':
        return this.toolUse(part);
      case 'tool_result':
        return this.toolResult(part);
      case 'reasoning':
        return this.reasoning(part);
      case 'hosted_call':
      case 'hosted_result':
        return this.hosted(part);
      case 'search_result':
        return this.searchResult(part);
      case 'opaque':
        this.facts.losses.refuse(this.at(part), 'Bedrock has no part of this type.');
        return null;
    }
  }

  private text(part: TextPart | RefusalPart): JsonObject | null {
    if (part.kind === 'text' && part.citations !== undefined && part.citations.length > 0)
      this.facts.losses.note(this.path(part, 'citations'));
    return isBlank(part.text) ? null : { text: part.text };
  }

  private toolUse(part: ToolCallPart): JsonObject | null {
    const { losses } = this.facts;
    if (part.custom === true) {
      losses.refuse(this.at(part), 'Bedrock has no tools with free text as arguments.');
      return null;
    }
    if (!TOOL_NAME.test(part.name)) {
      losses.refuse(this.path(part, 'name'), NAME_RULE);
      return null;
    }
    const input = this.args.read(part.args, this.path(part, 'arguments'));
    return { toolUse: { toolUseId: this.idOf(part.id), name: part.name, input } };
  }

  private idOf(id: string): string {
    return validId(id, this.facts.model.shortIds ? MISTRAL_ID : BEDROCK_ID);
  }

  private toolResult(part: ToolResultPart): JsonObject {
    const isFailed = part.error === true;
    const content: JsonObject[] = [];
    // A cache point belongs after the result, not into it.
    this.append(content, part.parts.map(withoutMark));
    if (isFailed && !this.facts.model.resultStatus) this.facts.losses.note(this.path(part, 'error'));
    return {
      toolResult: {
        toolUseId: this.idOf(part.callId),
        content,
        ...(isFailed && this.facts.model.resultStatus ? { status: 'error' } : {}),
      },
    };
  }

  /** Reasoning goes back only to its maker, signed; other reasoning is left out. */
  private reasoning(part: ReasoningPart): JsonObject | null {
    const { seal, text } = part;
    if (seal?.by !== 'anthropic' || this.facts.model.family !== 'claude') {
      this.facts.losses.note(this.at(part));
      return null;
    }
    return seal.redacted === true
      ? { reasoningContent: { redactedContent: seal.value } }
      : { reasoningContent: { reasoningText: { text, signature: seal.value } } };
  }

  private hosted(part: HostedPart): null {
    if (part.tool === 'web_search') this.facts.losses.note(this.at(part));
    else
      this.facts.losses.refuse(
        this.at(part),
        `Bedrock cannot read a call of ${part.tool}, which another provider ran.`,
      );
    return null;
  }

  private searchResult({ source, title, parts, citations }: SearchResultPart): JsonObject {
    const texts = parts.flatMap((part) =>
      part.kind === 'text' && !isBlank(part.text) ? [{ text: part.text }] : [],
    );
    if (this.facts.model.family !== 'claude') {
      return { text: `${title}\n${source}\n${texts.map(({ text }) => text).join('\n')}` };
    }
    return {
      searchResult: {
        source,
        title,
        content: texts,
        ...(citations === true ? { citations: { enabled: true } } : {}),
      },
    };
  }

  private at(part: Part): string {
    return part.at ?? this.path(part, 'name');
  }

  private path(part: Part, member: 'name' | 'arguments' | 'error' | 'cache' | 'citations'): string {
    return partPath(this.facts.call, part, member);
  }
}

/** Returns what marks a result: the result itself, else its last marked part. */
const markedPart = (result: ToolResultPart): Part =>
  result.cache === undefined ? (result.parts.findLast(({ cache }) => cache !== undefined) ?? result) : result;

const withoutMark = (part: Part): Part => {
  if (part.cache === undefined) return part;
  const { cache: _cache, ...rest } = part;
  return rest;
};
