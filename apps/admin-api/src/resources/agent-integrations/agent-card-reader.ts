import {
  CARD_BOUNDS,
  CARD_ENCODINGS,
  CARD_FETCH_TIMEOUT_MS,
  type AgentCard,
  type CardFetch,
  type CardRequest,
} from '@gw/a2a';
import { OutboundError, type BufferedResponse } from '@gw/outbound';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { AGENT_HTTP, type AgentHttp } from './agent-http';

/** Reads agent cards and applies the address policy to every request. */
@Injectable()
export class AgentCardReader {
  constructor(@Inject(AGENT_HTTP) private readonly http: AgentHttp) {}

  /**
   * Runs a fetch whose first request is `first`, within 10 seconds in total. Throws
   * `validation_failed` and `custom_host_refused` for a response or a card that is not allowed.
   */
  async read(fetch: CardFetch, first: CardRequest): Promise<AgentCard> {
    const endsAt = performance.now() + CARD_FETCH_TIMEOUT_MS;
    for (let request = first; ;) {
      const { status, headers, body } = await this.send(request, endsAt - performance.now());
      // The HTTP client has already decoded the body, within the same bound.
      const step = fetch.next({ status, body, location: headers.location ?? null, contentEncoding: null });
      if (step.kind === 'card') return step.card;
      ({ request } = step);
    }
  }

  private async send({ url, headers }: CardRequest, totalTimeoutMs: number): Promise<BufferedResponse> {
    try {
      return await this.http.fetchBuffered({
        url: url.href,
        headers: { accept: 'application/json', 'accept-encoding': CARD_ENCODINGS, ...headers },
        totalTimeoutMs: Math.max(1, totalTimeoutMs),
        bytesMax: CARD_BOUNDS.bytesMax,
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw invalid('endpoint', `endpoint could not be read (${error.failure}): ${error.message}`);
    }
  }
}
