import { asString } from '@gw/dialects';
import type { JsonObject, RouteSupport, StreamTranslator, Translator } from '../provider';

/** Returns the provider's path and body for a body of the Messages API. */
export type Wrap = Translator['request'];

/**
 * Returns the route of Messages API clients at a cloud that takes bodies of that API in a wrapper.
 * Responses are those of the Messages API; `stream` creates the translator that restores its
 * streams.
 */
export const wrappedMessages = (
  name: string,
  wrap: Wrap,
  stream: (requestId: string) => StreamTranslator,
): RouteSupport => ({
  via: 'translated',
  name: `anthropic-messages>${name}`,
  translator: {
    request: wrap,
    response: (body) => body,
    stream: ({ requestId }) => stream(requestId),
  },
});

/**
 * Returns a route whose translator also wraps the body of the Messages API that `support` produces.
 */
export function withWrapper(support: RouteSupport, wrap: Wrap): RouteSupport {
  if (support.via === 'native') return support;
  const { translator } = support;
  return {
    ...support,
    translator: {
      ...translator,
      request(body, loss, address) {
        const call = translator.request(body, loss, address);
        const wrapped = wrap(call.body, loss);
        const losses = [...call.losses.losses, ...wrapped.losses.losses];
        return { ...wrapped, losses: { losses, more: call.losses.more + wrapped.losses.more } };
      },
    },
  };
}

const TERMINAL = 'event: message_stop';

/** Forwards a stream that is already one of the Messages API. */
export class PlainStream implements StreamTranslator {
  complete = false;
  readonly failed = false;
  private tail = '';

  write(chunk: Buffer): Buffer {
    // The end marker may be split between chunks.
    const text = this.tail + chunk.toString('latin1');
    this.complete ||= text.includes(TERMINAL);
    this.tail = text.slice(-TERMINAL.length);
    return chunk;
  }

  end(): Buffer {
    return Buffer.alloc(0);
  }
}

export const isStreamed = (body: JsonObject): boolean => body['stream'] === true;
export const modelIn = (body: JsonObject): string => asString(body['model']) ?? '';
