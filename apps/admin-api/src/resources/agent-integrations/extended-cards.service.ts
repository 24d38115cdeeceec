import { A2aError, abilitiesOf, CARD_BOUNDS, readCard, readCardBody, type Members } from '@gw/a2a';
import type { AgentIntegrationEntity } from '@gw/entities';
import { GatewayError, isObject, type AddressPolicy } from '@gw/kernel';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { isStorable } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import {
  isOnOrigin,
  provenMembers,
  rulesOf,
  type ExtendedCard,
  type FittingCard,
} from './agent-card-content';
import { agentRequest, resultIn } from './agent-requests';

const TIMEOUT_MS = 10_000;

type ReadRow = Pick<AgentIntegrationEntity, 'url' | 'allowOtherOrigin' | 'approvedEndpoint'>;

/** Reads the extended cards that agents show only to their callers. */
@Injectable()
export class ExtendedCards {
  constructor(
    private readonly http: BufferedClient,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
  ) {}

  /**
   * Requests the extended card if the card announces one. `headers` contains the credential, which
   * is sent only to the origin of the integration or to an approved one. If the card was verified
   * with trusted keys, one of them must have signed the extended card too. Never throws because of
   * the agent's behaviour.
   */
  async read(
    row: ReadRow,
    { members, endpoint, trustedKeys }: FittingCard,
    headers: Readonly<Record<string, string>>,
  ): Promise<ExtendedCard> {
    if (!abilitiesOf(members).extendedCard) return { kind: 'none' };
    const { url, approvedEndpoint } = row;
    const isTrusted =
      isOnOrigin(endpoint, url) || (approvedEndpoint && isOnOrigin(endpoint, approvedEndpoint.url));
    if (isTrusted !== true) return unread('its address is on an origin that is not approved');
    try {
      const response = await this.http.fetchBuffered({
        ...agentRequest(endpoint, 'getExtendedCard', {}, headers),
        ...{ totalTimeoutMs: TIMEOUT_MS, bytesMax: CARD_BOUNDS.bytesMax },
      });
      const card = resultIn(endpoint, response);
      if (!isObject(card)) return unread(`the agent responded with ${String(response.status)} and no card`);
      return this.judged(row, trustedKeys, card);
    } catch (error) {
      if (error instanceof A2aError) return unread('the agent responded with no response of A2A');
      if (error instanceof OutboundError) return unread(`the agent was not reached (${error.failure})`);
      if (error instanceof GatewayError) return unread(error.message);
      throw error;
    }
  }

  /** Throws `validation_failed` and `custom_host_refused` for a card that cannot be used. */
  private judged(row: ReadRow, trustedKeys: FittingCard['trustedKeys'], card: Members): ExtendedCard {
    const rules = rulesOf(row, this.policy);
    // The card is checked in its text form, as every other card.
    const read = readCard(readCardBody(Buffer.from(JSON.stringify(card)), null), rules);
    const { state, members } = provenMembers({ trustedKeys }, read);
    if (state === 'unsigned' || state === 'untrusted') return unread('no trusted key has signed it');
    const used = readCard(members, rules).card;
    return isStorable(used) ? { kind: 'card', members: used } : unread('it cannot be stored');
  }
}

const unread = (reason: string): ExtendedCard => ({ kind: 'unread', reason });
