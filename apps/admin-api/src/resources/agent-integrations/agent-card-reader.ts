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

/** Reads cards of agents, under the address policy at every step. */
@Injectable()
export class AgentCardReader {
  constructor(@Inject(AGENT_HTTP) private readonly http: AgentHttp) {}

  /**
   * Carries out a fetch, within 10 seconds in all. `first` is its first request. Throws `validation_failed` and
   * `custom_host_refused` for a response or a card that is not allowed.
   */
  async read(fetch: CardFetch, first: CardRequest): Promise<AgentCard> {
    const endsAt = performance.now() + CARD_FETCH_TIMEOUT_MS;
    for (let request = first; ;) {
      const { status, headers, body } = await this.send(request, endsAt - performance.now());
      // The client has decoded the body, within the same bound.
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
