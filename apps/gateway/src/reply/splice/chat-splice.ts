import type { Usage } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { sumOf } from '../../usage/use';
import { dataOf, objectOf, PartialText, type Splice } from './splice';

/** Members of a delta that can be continued. */
const PLAIN = new Set(['role', 'content']);

/** Splices chat completion chunks of OpenAI's dialect. */
export class ChatSplice implements Splice {
  complete = false;
  failed = false;
  private readonly text = new PartialText();
  private finished = false;
  private isFirst = true;
  /** The members that identify the response, from its first chunk. */
  private identity: JsonObject | null = null;
  /** Summed usage of the responses before this one; null when there is none. */
  private used: Usage | null = null;

  event(event: Buffer): Buffer | null {
    const data = dataOf(event);
    if (data === null) return event;
    if (data.trim() === '[DONE]') {
      this.complete = true;
      return event;
    }
    const chunk = objectOf(data);
    if (chunk === null) {
      this.text.giveUp();
      return event;
    }
    if (chunk['error'] !== undefined && chunk['error'] !== null) {
      this.failed = true;
      return null;
    }
    return this.chunk(chunk, event);
  }

  partial(): string | null {
    return this.finished ? null : this.text.read();
  }

  continueWithNext(used: Usage | null): void {
    this.isFirst = false;
    this.failed = false;
    this.text.continueWithNext();
    if (used !== null) this.used = this.used === null ? used : sumOf(this.used, used);
  }

  private chunk(chunk: JsonObject, event: Buffer): Buffer | null {
    this.identity ??= identityOf(chunk);
    const [choice, ...others] = Array.isArray(chunk['choices']) ? (chunk['choices'] as unknown[]) : [];
    if (others.length > 0) this.text.giveUp();
    const fresh = isObject(choice) ? this.choice(choice) : null;
    if (this.isFirst) return event;
    const fitted: JsonObject = { ...chunk, ...this.identity };
    if (isObject(choice)) fitted['choices'] = [fresh ?? { ...choice, delta: {} }];
    const { usage } = chunk;
    if (isObject(usage)) fitted['usage'] = this.usageOf(usage);
    else if (fresh === null && isObject(choice)) return null;
    return Buffer.from(`data: ${JSON.stringify(fitted)}\n\n`);
  }

  /** Returns the choice without text that the client already has; null if nothing is left. */
  private choice(choice: JsonObject): JsonObject | null {
    const given = isObject(choice['delta']) ? choice['delta'] : {};
    if (choice['index'] !== undefined && choice['index'] !== 0) this.text.giveUp();
    if (Object.keys(given).some((name) => !PLAIN.has(name) && given[name] !== null)) this.text.giveUp();
    const { role: _, ...delta } = given;
    if (typeof delta['content'] === 'string') delta['content'] = this.text.add(delta['content']);
    const finishes = choice['finish_reason'] !== undefined && choice['finish_reason'] !== null;
    if (finishes) this.finished = true;
    const says = Object.values(delta).some((value) => value !== null && value !== '');
    return finishes || says ? { ...choice, delta } : null;
  }

  private usageOf(usage: JsonObject): JsonObject {
    const { used } = this;
    if (used === null) return usage;
    const plus = (value: unknown, count: number): unknown =>
      typeof value === 'number' ? value + count : value;
    const details = (name: string, member: string, count: number): JsonObject => {
      const own = usage[name];
      return isObject(own) ? { [name]: { ...own, [member]: plus(own[member], count) } } : {};
    };
    return {
      ...usage,
      prompt_tokens: plus(usage['prompt_tokens'], used.inputTokens),
      completion_tokens: plus(usage['completion_tokens'], used.outputTokens),
      total_tokens: plus(usage['total_tokens'], used.inputTokens + used.outputTokens),
      ...details('prompt_tokens_details', 'cached_tokens', used.cacheReadTokens),
      ...details('completion_tokens_details', 'reasoning_tokens', used.reasoningTokens),
    };
  }
}

function identityOf(chunk: JsonObject): JsonObject | null {
  const { id, created } = chunk;
  return id === undefined ? null : { id, ...(created !== undefined && { created }) };
}
