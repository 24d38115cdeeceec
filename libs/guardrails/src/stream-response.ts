import { Subject, type RequestFacts } from './subject';

/** One text of a streamed response, identified by choice, kind and, for a tool call, index. */
export interface StreamChannel {
  readonly choice: number;
  /** `other`: a text in a member without a kind of its own, such as the result of a hosted tool. */
  readonly kind: 'text' | 'reasoning' | 'tool_call' | 'other';
  /** Index of a tool call, or of another text, among those of the choice; 0 otherwise. */
  readonly index: number;
}

export const channelKey = ({ choice, kind, index }: StreamChannel): string =>
  `${String(choice)} ${kind} ${String(index)}`;

interface Message {
  role: 'assistant';
  content?: string;
  reasoning_content?: string;
  tool_calls: { type: 'function'; function: { arguments: string } }[];
  content_blocks?: { type: 'text'; text: string }[];
}

/** The whole response of a stream in the shape of a chat completion, whatever its dialect. */
export class StreamResponse {
  private readonly messages = new Map<number, Message>();
  private readonly calls = new Map<string, { arguments: string }>();
  private readonly others = new Map<string, { type: 'text'; text: string }>();

  add(channel: StreamChannel, delta: string): void {
    const message = this.message(channel.choice);
    if (channel.kind === 'text') message.content = (message.content ?? '') + delta;
    else if (channel.kind === 'reasoning')
      message.reasoning_content = (message.reasoning_content ?? '') + delta;
    else if (channel.kind === 'tool_call') this.call(message, channel).arguments += delta;
    else this.other(message, channel).text += delta;
  }

  subject(facts: RequestFacts, request: unknown): Subject {
    const choices = [...this.messages].map(([index, message]) => ({ index, message }));
    return Subject.output(
      { ...facts, dialect: 'chat' },
      request,
      { object: 'chat.completion', choices },
      200,
    );
  }

  private message(choice: number): Message {
    const existing = this.messages.get(choice);
    if (existing) return existing;
    const message: Message = { role: 'assistant', tool_calls: [] };
    this.messages.set(choice, message);
    return message;
  }

  private call(message: Message, channel: StreamChannel): { arguments: string } {
    const key = channelKey(channel);
    const existing = this.calls.get(key);
    if (existing) return existing;
    const call = { arguments: '' };
    this.calls.set(key, call);
    message.tool_calls.push({ type: 'function', function: call });
    return call;
  }

  private other(message: Message, channel: StreamChannel): { text: string } {
    const key = channelKey(channel);
    const existing = this.others.get(key);
    if (existing) return existing;
    const block = { type: 'text' as const, text: '' };
    this.others.set(key, block);
    (message.content_blocks ??= []).push(block);
    return block;
  }
}

/**
 * Returns the text of a channel in the body of `StreamResponse`, after changes by guardrails.
 * `positions` are those of calls and of other texts in their lists, by channel key.
 */
export function textOfChannel(
  body: unknown,
  { choice, kind, index }: StreamChannel,
  positions: ReadonlyMap<string, number>,
): string {
  const { choices } = body as { choices: readonly { index: number; message: Message }[] };
  const message = choices.find((each) => each.index === choice)?.message;
  const position = positions.get(channelKey({ choice, kind, index })) ?? 0;
  return (message && textIn(message, kind, position)) ?? '';
}

function textIn(message: Message, kind: StreamChannel['kind'], position: number): string | undefined {
  switch (kind) {
    case 'text':
      return message.content;
    case 'reasoning':
      return message.reasoning_content;
    case 'tool_call':
      return message.tool_calls[position]?.function.arguments;
    case 'other':
      return message.content_blocks?.[position]?.text;
  }
}
