import { asObject, asString, parseObject, LineText } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';
import { createParser } from 'eventsource-parser';
import { anthropicError } from '../../dialects/anthropic/error';
import { chatShape, type ChatShape } from '../../dialects/openai/chat-shape';
import type { JsonObject, StreamTranslator, TranslationContext } from '../../provider';
import { BlockTranslator } from './stream-blocks';
import { chatUsage, finishReason } from './outcome';

/** Maximum characters of one event; a longer event ends the stream with an error. */
const EVENT_MAX = 8 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const DONE = 'data: [DONE]\n\n';

/** Translates an Anthropic message stream to OpenAI chat completion chunks. */
export class ChatStream implements StreamTranslator {
  complete = false;
  failed = false;
  private readonly lines = new LineText();
  private readonly parser = createParser({
    maxBufferSize: EVENT_MAX,
    onEvent: (event) => {
      this.take(event.data);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        this.failWith(new GatewayError('provider_answer_invalid'));
    },
  });
  private readonly blocks = new BlockTranslator();
  private readonly withUsage: boolean;
  private readonly shape: ChatShape;
  private id: string;
  private model: unknown;
  private usage: JsonObject = {};
  private out: string[] = [];
  private ended = false;

  constructor(private readonly context: TranslationContext) {
    this.withUsage = asObject(context.request['stream_options'])?.['include_usage'] === true;
    this.shape = chatShape(context);
    this.id = context.requestId;
    this.model = context.request['model'];
  }

  write(chunk: Buffer): Buffer {
    if (this.complete || this.failed) return NOTHING;
    this.parser.feed(this.lines.write(chunk));
    return this.flush();
  }

  /**
   * Some providers omit the blank line after their last event, so only the end shows that it is
   * complete.
   */
  end(): Buffer {
    if (this.complete || this.failed) return NOTHING;
    this.ended = true;
    this.parser.feed(`${this.lines.end()}\n\n`);
    return this.flush();
  }

  private flush(): Buffer {
    if (this.out.length === 0) return NOTHING;
    const bytes = Buffer.from(this.out.join(''), 'utf8');
    this.out = [];
    return bytes;
  }

  private take(data: string): void {
    if (this.complete || this.failed) return;
    const event = parseObject(data);
    if (event !== null) this.translate(event);
    // Half an event at the end of a cut stream is not invalid; the caller reports the cut itself.
    else if (!this.ended) this.failWith(new GatewayError('provider_answer_invalid'));
  }

  private translate(event: JsonObject): void {
    switch (event['type']) {
      case 'message_start':
        this.start(asObject(event['message']) ?? {});
        break;
      case 'message_delta':
        this.addUsage(event['usage']);
        this.finish(asObject(event['delta'])?.['stop_reason']);
        break;
      case 'message_stop':
        this.stop();
        break;
      case 'error':
        this.fail(event);
        break;
      default:
        for (const delta of this.blocks.translate(event)) this.show(delta);
    }
  }

  private start(message: JsonObject): void {
    this.id = asString(message['id']) ?? this.id;
    this.model = message['model'] ?? this.model;
    this.addUsage(message['usage']);
    this.delta({ role: 'assistant', content: '' });
  }

  private finish(stopReason: unknown): void {
    if (stopReason !== undefined && stopReason !== null) this.delta({}, finishReason(stopReason));
  }

  private stop(): void {
    const usage = this.withUsage ? chatUsage(this.usage) : undefined;
    if (usage !== undefined) this.send({ ...this.head(), choices: [], usage });
    this.out.push(DONE);
    this.complete = true;
  }

  private fail(event: JsonObject): void {
    const error = anthropicError(event);
    this.failWith(
      new GatewayError('provider_error', {
        ...(error === null ? {} : { message: error.message }),
        extra: { provider_error: event },
      }),
    );
  }

  private failWith(error: GatewayError): void {
    if (this.failed) return;
    this.failed = true;
    this.send({ ...error.toBody(this.context.requestId) });
  }

  private addUsage(usage: unknown): void {
    for (const [name, value] of Object.entries(asObject(usage) ?? {})) {
      if (value !== null) this.usage[name] = value;
    }
  }

  private show(delta: JsonObject): void {
    const shown = this.shape.delta(delta);
    if (shown !== null) this.delta(shown);
  }

  private delta(delta: JsonObject, finish: string | null = null): void {
    this.send({
      ...this.head(),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(this.withUsage ? { usage: null } : {}),
    });
  }

  private head(): JsonObject {
    const { id, model } = this;
    return {
      id,
      object: 'chat.completion.chunk',
      created: this.context.createdAt,
      model,
      ...this.shape.head,
    };
  }

  private send(body: JsonObject): void {
    this.out.push(`data: ${JSON.stringify(body)}\n\n`);
  }
}
