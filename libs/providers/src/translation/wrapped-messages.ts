import { asString } from '@gw/dialects';
import type { JsonObject, RouteSupport, StreamTranslator, Translator } from '../provider';

/** Returns the provider's path and body for a body of the Messages API. */
export type Wrap = Translator['request'];

/**
 * Serves clients of the Messages API at a cloud that takes its bodies in another wrapping. Responses
 * are those of the Messages API; `stream` undoes what the cloud does to streams.
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

/** Wraps what another translator has turned into a body of the Messages API. */
export function alsoWrapped(support: RouteSupport, wrap: Wrap): RouteSupport {
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

/** Hands on a stream that is that of the Messages API already. */
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
