import { InvokeStream, invokeCall, invokeTokensCall, LossLedger, targetOf } from '@gw/dialects';
import type { RouteKind } from '@gw/contracts';
import { anthropicTapDialect } from '../dialects/anthropic/tap';
import type { JsonObject, RouteSupport, StreamTranslator } from '../provider';
import { SseTap } from '../stream/sse-tap';
import { modelIn, wrappedMessages, type Wrap } from '../translation/wrapped-messages';

/** Whether a model id, inference profile or ARN names a model of Anthropic. */
export const isClaude = (model: string): boolean => model.includes('anthropic.claude-');

const wrapper =
  (provider: string, call: typeof invokeCall): Wrap =>
  (body, loss, { betas } = {}) => {
    const target = targetOf({ provider, dialect: 'anthropic-messages', model: modelIn(body) });
    const losses = new LossLedger(loss, target);
    const { path, body: wrapped } = call(body, { target, losses, ...(betas === undefined ? {} : { betas }) });
    losses.check();
    return { path, body: wrapped, losses };
  };

/** Routes for clients of the Messages API to Claude, without a translation of the body. */
export const invokeRoutes = (provider: string): Readonly<Partial<Record<RouteKind, RouteSupport>>> => ({
  messages: wrappedMessages(
    'bedrock-invoke',
    wrapper(provider, invokeCall),
    (requestId) => new FramedStream(requestId),
  ),
  'messages.count_tokens': {
    via: 'translated',
    name: 'anthropic-messages>bedrock-invoke',
    translator: {
      request: wrapper(provider, invokeTokensCall),
      response: (body: JsonObject) => ({ input_tokens: body['inputTokens'] ?? null }),
      stream: (context) => new FramedStream(context.requestId),
    },
  },
});

/** Converts a stream of InvokeModel to one of the Messages API. */
class FramedStream implements StreamTranslator {
  private readonly stream: InvokeStream;

  constructor(requestId: string) {
    this.stream = new InvokeStream(requestId);
  }

  get complete(): boolean {
    return this.stream.complete;
  }

  get failed(): boolean {
    return this.stream.failed;
  }

  write(chunk: Buffer): Buffer {
    return Buffer.from(this.stream.write(chunk));
  }

  end(): Buffer {
    return Buffer.from(this.stream.end());
  }
}

/** Reads the stream of InvokeModel as that of the Messages API. */
export class InvokeTap extends SseTap {
  private readonly stream = new InvokeStream('');

  constructor() {
    super(anthropicTapDialect);
  }

  override write(chunk: Buffer): void {
    super.write(Buffer.from(this.stream.write(chunk)));
  }
}
