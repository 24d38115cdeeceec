import { CARD_BOUNDS, CARD_ENCODINGS, CARD_FETCH_TIMEOUT_MS, CardFetch, type CardRequest } from '@gw/a2a';
import { GatewayError, Shares, type AddressPolicy } from '@gw/kernel';
import { BufferedClient, OutboundError, type BufferedResponse } from '@gw/outbound';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/common/principal';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import type { FetchAgentCardDto } from './agent-cards.dto';

/** Fetches of this process at once. An organisation that is alone has half of them. Each holds at most 1 MiB. */
const FETCHES_MAX = 8;

/** Reads cards of agents from their addresses, under the address policy at every step. */
@Injectable()
export class AgentCardsService {
  private readonly places = new Shares(FETCHES_MAX);

  constructor(
    private readonly http: BufferedClient,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
  ) {}

  /**
   * Returns the card as it was published. Throws `validation_failed` and `custom_host_refused` for an endpoint, a response or a card that
   * is not allowed, `forbidden` for another organisation, and `rate_limited` when the organisation has no place left.
   */
  async fetch(caller: Principal, input: FetchAgentCardDto): Promise<object> {
    const { organisationId } = caller;
    const { endpoint, organisation_id: named, authType, authToken, authHeader } = input;
    if (named !== undefined && named.toLowerCase() !== organisationId) throw new GatewayError('forbidden');
    const credential = { authType, authToken, authHeader };
    const fetch = new CardFetch({ policy: this.policy, endpoint, credential });
    const first = fetch.start();
    const share = this.places.of(organisationId, organisationId);
    if (!share.take(1)) throw tooMany();
    try {
      return await this.read(fetch, first);
    } finally {
      share.give(1);
    }
  }

  private async read(fetch: CardFetch, first: CardRequest): Promise<object> {
    const endsAt = performance.now() + CARD_FETCH_TIMEOUT_MS;
    for (let request = first; ;) {
      const { status, headers, body } = await this.send(request, endsAt - performance.now());
      // The client has decoded the body, within the same bound.
      const step = fetch.next({ status, body, location: headers.location ?? null, contentEncoding: null });
      if (step.kind === 'card') return step.card.card;
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

const tooMany = (): GatewayError =>
  new GatewayError('rate_limited', {
    message: 'Too many agent cards are being read at once; try again in a moment.',
    headers: { 'retry-after': '1' },
  });
