import { CardFetch } from '@gw/a2a';
import { GatewayError, Shares, type AddressPolicy } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/common/principal';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { AgentCardReader } from './agent-card-reader';
import type { FetchAgentCardDto } from './agent-cards.dto';

/**
 * Maximum number of concurrent fetches of this process. A single organisation can use half of them.
 * Each holds at most 1 MiB.
 */
const FETCHES_MAX = 8;

/** Fetches agent cards before the agents are registered. */
@Injectable()
export class AgentCardsService {
  private readonly places = new Shares(FETCHES_MAX);

  constructor(
    private readonly reader: AgentCardReader,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
  ) {}

  /**
   * Returns the card as the agent published it. Throws `validation_failed` and
   * `custom_host_refused` for an endpoint, a response or a card that is not allowed, `forbidden`
   * for another organisation, and `rate_limited` when the organisation runs the maximum number of
   * fetches.
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
      return (await this.reader.read(fetch, first)).card;
    } finally {
      share.give(1);
    }
  }
}

const tooMany = (): GatewayError =>
  new GatewayError('rate_limited', {
    message: 'Too many agent cards are being read at once; try again in a moment.',
    headers: { 'retry-after': '1' },
  });
