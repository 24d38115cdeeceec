import { Subject, type RequestFacts } from './subject';

/** One text of a streamed response, identified by choice, kind and, for a tool call, index. */
export interface StreamChannel {
  readonly choice: number;
  /**
   * `tool_name`: the name of a called tool, which is never replaced. `citation`: a source of the
   * text. `other`: a text in a member without a kind of its own, such as the result of a hosted
   * tool. `rest`: a text in a member that no dialect has. `rest_name`: the name of such a member,
   * which is never replaced.
   */
  readonly kind:
    'text' | 'reasoning' | 'tool_call' | 'tool_name' | 'citation' | 'other' | 'rest' | 'rest_name';
  /**
   * Index of a tool call (also of its name) or of a text of the last four kinds among those of the
   * choice; 0 otherwise.
   */
  readonly index: number;
}

export const channelKey = ({ choice, kind, index }: StreamChannel): string =>
  `${String(choice)} ${kind} ${String(index)}`;

/** Key of the member that holds the text of a channel: a call and its name share one. */
export const memberKey = (channel: StreamChannel): string =>
  channelKey(channel.kind === 'tool_name' ? { ...channel, kind: 'tool_call' } : channel);

interface CalledFunction {
  name?: string;
  arguments: string;
}

interface Message {
  role: 'assistant';
  content?: string;
  reasoning_content?: string;
  tool_calls: { type: 'function'; function: CalledFunction }[];
  content_blocks?: { type: 'text'; text: string }[];
  citations?: { text: string }[];
  other_texts?: { text: string }[];
  other_names?: Readonly<Record<string, null>>[];
}

/** The whole response of a stream in the shape of a chat completion, whatever its dialect. */
export class StreamResponse {
  private readonly messages = new Map<number, Message>();
  private readonly calls = new Map<string, CalledFunction>();
  private readonly others = new Map<string, { text: string }>();

  add(channel: StreamChannel, delta: string): void {
    const message = this.message(channel.choice);
    if (channel.kind === 'text') message.content = (message.content ?? '') + delta;
    else if (channel.kind === 'reasoning')
      message.reasoning_content = (message.reasoning_content ?? '') + delta;
    else if (channel.kind === 'tool_call') this.call(message, channel).arguments += delta;
    else if (channel.kind === 'tool_name') {
      const call = this.call(message, channel);
      call.name = (call.name ?? '') + delta;
    } else if (channel.kind === 'rest_name') (message.other_names ??= []).push({ [delta]: null });
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

  private call(message: Message, channel: StreamChannel): CalledFunction {
    const key = memberKey(channel);
    const existing = this.calls.get(key);
    if (existing) return existing;
    const call: CalledFunction = { arguments: '' };
    this.calls.set(key, call);
    message.tool_calls.push({ type: 'function', function: call });
    return call;
  }

  /** Returns the place of a citation, of another text or of one in a member that no dialect has. */
  private other(message: Message, channel: StreamChannel): { text: string } {
    const key = channelKey(channel);
    const existing = this.others.get(key);
    if (existing) return existing;
    const block = { type: 'text' as const, text: '' };
    this.others.set(key, block);
    if (channel.kind === 'citation') (message.citations ??= []).push(block);
    else if (channel.kind === 'rest') (message.other_texts ??= []).push(block);
    else (message.content_blocks ??= []).push(block);
    return block;
  }
}

/**
 * Returns the text of a channel in the body of `StreamResponse`, after changes by guardrails.
 * `positions` are those of calls and of other texts in their lists, by member key.
 */
export function textOfChannel(
  body: unknown,
  channel: StreamChannel,
  positions: ReadonlyMap<string, number>,
): string {
  const { choices } = body as { choices: readonly { index: number; message: Message }[] };
  const message = choices.find((each) => each.index === channel.choice)?.message;
  const position = positions.get(memberKey(channel)) ?? 0;
  return (message && TEXT_IN[channel.kind](message, position)) ?? '';
}

type TextIn = (message: Message, position: number) => string | undefined;

const TEXT_IN: Readonly<Record<StreamChannel['kind'], TextIn>> = {
  text: ({ content }) => content,
  reasoning: ({ reasoning_content: reasoning }) => reasoning,
  tool_call: ({ tool_calls: calls }, position) => calls[position]?.function.arguments,
  tool_name: ({ tool_calls: calls }, position) => calls[position]?.function.name,
  citation: ({ citations }, position) => citations?.[position]?.text,
  other: ({ content_blocks: blocks }, position) => blocks?.[position]?.text,
  rest: ({ other_texts: texts }, position) => texts?.[position]?.text,
  rest_name: ({ other_names: names }, position) => Object.keys(names?.[position] ?? {})[0],
};
