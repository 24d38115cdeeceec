import { isDeepStrictEqual } from 'node:util';
import { CardFetch, type AgentCard } from '@gw/a2a';
import { AgentIntegrationEntity, AgentSkillEntity } from '@gw/entities';
import { ERRORS, GatewayError, VendorError, type AddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { fetchKeysBy, type FetchKeys } from '@gw/trusts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { keysOfAgents } from '../../platform/rows/agent-rows';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_CHANGE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { changesOf } from '../../platform/upstreams/capability-changes';
import { SharedHeaders } from '../../platform/upstreams/shared-headers.service';
import { nextAttempt, nextReading, UpstreamReadings } from '../../platform/upstreams/upstream-readings';
import {
  removeOldCapabilities,
  savedCapabilities,
  saveFailure,
  saveSync,
  type UpstreamTables,
} from '../../platform/upstreams/upstream-sync.queries';
import {
  cardFindings,
  fittingCard,
  knownExtended,
  rulesOf,
  snapshotOf,
  type CardSnapshot,
  type FittingCard,
} from './agent-card-content';
import { keepCard } from './agent-card-history.queries';
import { AgentCardReader } from './agent-card-reader';
import { AGENT_UPSTREAM } from './agent-configurations';
import { trustedKeysOf } from './agent-trusted-keys';
import { ExtendedCards } from './extended-cards.service';

const TABLES: UpstreamTables = {
  ...{ integrations: 'agent_integrations', capabilities: 'agent_skills', switches: 'agent_server_skills' },
};
const AUDITED_MAX = 100;
/** Next reading of a card that an administrator sent: such a card is never read. */
const NEVER = new Date('9999-12-31T00:00:00Z');

const CUT = 'The card has skills of more than 256 KiB, which are not offered.';
const MOVED = 'The integration has changed while its card was read; synchronise it again.';

/** Columns of an integration that a reading changes. */
type SyncColumns = Pick<
  AgentIntegrationEntity,
  | 'card'
  | 'endpoint'
  | 'signatureState'
  | 'trustedKeys'
  | 'syncStatus'
  | 'syncError'
  | 'lastSyncedAt'
  | 'nextSyncAt'
  | 'approvedEndpoint'
>;

/** Reads the cards of agent integrations and stores their contents. */
@Injectable()
export class AgentSnapshots {
  private readonly readings: UpstreamReadings<AgentIntegrationEntity>;
  private readonly fetchKeys: FetchKeys;

  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly reader: AgentCardReader,
    private readonly extended: ExtendedCards,
    private readonly shared: SharedHeaders,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
    http: BufferedClient,
  ) {
    this.fetchKeys = fetchKeysBy(http);
    this.readings = new UpstreamReadings(dataSource, {
      ...{ entity: AgentIntegrationEntity, tables: TABLES, job: 'agent-card-sync', of: 'agent cards' },
      unreadable: 'agent_unreadable',
      read: (row, caller) => this.read(row, caller),
    });
  }

  /**
   * Reads the card now and stores it; a call during another reading of the integration shares its
   * result. Throws `agent_unreadable` with the reason, `rate_limited` when the organisation runs
   * the maximum number of readings, and `conflict` when the integration has changed in the
   * meantime.
   */
  sync(row: AgentIntegrationEntity, caller: AuditCaller): Promise<void> {
    return this.readings.sync(row, caller);
  }

  /**
   * Reads the cards that are due and returns their number. Stores a failure with its integration.
   */
  syncDue(): Promise<number> {
    return this.readings.syncDue();
  }

  /**
   * Runs a call of the agent within the concurrency limit of its organisation. Throws
   * `rate_limited` when the limit is reached.
   */
  within<T>(row: Pick<AgentIntegrationEntity, 'organisationId'>, work: () => Promise<T>): Promise<T> {
    return this.readings.within(row, work);
  }

  /**
   * Reads the card from the address of the integration with its credentials, and stores nothing.
   * Throws `validation_failed`, `custom_host_refused`, `agent_transport_unsupported` and
   * `VendorError`.
   */
  async fetch(row: AgentIntegrationEntity): Promise<FittingCard> {
    const trustedKeys = await trustedKeysOf(row, this.policy, this.fetchKeys);
    const headers = await this.shared.headersOf(AGENT_UPSTREAM, row);
    const fetch = new CardFetch({ ...rulesOf(row, this.policy), headers });
    const read = await this.reader.read(fetch, fetch.start());
    const card = fittingCard({ ...row, trustedKeys }, read, this.policy);
    return { ...card, extended: await this.extended.read(row, card, headers) };
  }

  /** Checks that the integration can use a card; see `fittingCard`. */
  fitting(row: AgentIntegrationEntity, card: AgentCard): FittingCard {
    return fittingCard(row, card, this.policy);
  }

  /**
   * Saves the skills of a card, and sets the columns of the row without saving it. Returns the
   * columns, and whether anything that gateways serve has changed.
   */
  async keep(
    write: Write<AuditCaller>,
    row: AgentIntegrationEntity,
    card: FittingCard,
  ): Promise<{ readonly isChanged: boolean; readonly columns: SyncColumns }> {
    const { manager } = write;
    const { extended } = card;
    const known = extended.kind === 'unread' ? knownExtended(await listedSkills(manager, row)) : null;
    const snapshot = snapshotOf(card, extended.kind === 'card' ? extended.members : known);
    const saved = await savedCapabilities(manager, AgentSkillEntity, row.id, snapshot);
    const comparison = { otherNames: [], findings: cardFindings(row, card), now: new Date() };
    const { rows, changed, self } = await changesOf(AgentSkillEntity, row, saved, snapshot, comparison);
    await manager.save(AgentSkillEntity, [...rows], { chunk: 500 });
    const isListedAlike = (await saveListings(manager, row, snapshot)) === 0;
    await removeOldCapabilities(manager, TABLES, row.id);
    await keepCard(manager, write.caller, row, card);
    if (changed.length > 0)
      write.audit({
        ...{ action: 'agent_skill.changed', resourceType: 'agent_integrations', resourceId: row.id },
        workspaceId: row.workspaceId,
        after: { total: changed.length, skills: changed.slice(0, AUDITED_MAX) },
      });
    const { approvedEndpoint: before } = row;
    const columns: SyncColumns = {
      ...{ card: card.text, endpoint: card.endpoint, signatureState: card.signatureState },
      trustedKeys: card.trustedKeys,
      ...{ syncStatus: 'synced', syncError: faultOf(card, snapshot), lastSyncedAt: new Date() },
      nextSyncAt: row.source === 'manual' ? NEVER : nextReading(),
      approvedEndpoint: self.state === 'approved' ? card.endpoint : row.approvedEndpoint,
    };
    Object.assign(row, columns);
    const isMoved = !isDeepStrictEqual(before, columns.approvedEndpoint);
    return { columns, isChanged: rows.length > 0 || isMoved || !isListedAlike };
  }

  /** Saves the columns that `keep` has returned. */
  save(manager: EntityManager, row: AgentIntegrationEntity, columns: Partial<SyncColumns>): Promise<void> {
    return saveSync(manager, AgentIntegrationEntity, row, columns);
  }

  private async read(row: AgentIntegrationEntity, caller: AuditCaller): Promise<void> {
    try {
      const card = await this.within(row, () => this.fetch(row));
      await this.store(row, card, caller);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      await saveFailure(this.dataSource.manager, AgentIntegrationEntity, row, {
        ...{ syncStatus: 'failed', syncError: error.message.slice(0, 1_024), nextSyncAt: nextAttempt(row) },
      });
      throw new GatewayError('agent_unreadable', {
        message: `${ERRORS.agent_unreadable.message} ${error.message}`,
        cause: error,
      });
    }
  }

  /**
   * Saves a card that was read. Throws `conflict` when the integration has changed since the
   * reading.
   */
  private store(row: AgentIntegrationEntity, card: FittingCard, caller: AuditCaller): Promise<void> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { id, version } = row;
      const where = { id, version, status: 'active', source: 'fetched' } as const;
      const locked = await manager.findOne(AgentIntegrationEntity, { where, lock: FOR_CHANGE });
      if (locked === null) throw new GatewayError('conflict', { message: MOVED });
      const { columns, isChanged } = await this.keep(write, locked, card);
      await this.save(manager, locked, columns);
      if (isChanged) write.changed(await keysOfAgents(manager, locked));
    });
  }
}

const listedSkills = (
  manager: EntityManager,
  { id: integrationId }: Pick<AgentIntegrationEntity, 'id'>,
): Promise<AgentSkillEntity[]> => manager.findBy(AgentSkillEntity, { integrationId, goneAt: IsNull() });

/** Saves which card lists each skill, and returns the number of skills whose card has changed. */
async function saveListings(
  manager: EntityManager,
  { id }: Pick<AgentIntegrationEntity, 'id'>,
  { publicIds, extendedIds }: CardSnapshot,
): Promise<number> {
  const [, count] = await manager.query<[unknown, number]>(
    `UPDATE agent_skills SET is_public = (name = ANY($2)), is_extended = (name = ANY($3))
      WHERE integration_id = $1 AND type = 'skill' AND gone_at IS NULL
        AND (is_public, is_extended) IS DISTINCT FROM (name = ANY($2), name = ANY($3))`,
    [id, publicIds, extendedIds],
  );
  return count;
}

function faultOf({ extended }: FittingCard, { isCut }: CardSnapshot): string | null {
  if (isCut) return CUT;
  return extended.kind === 'unread'
    ? `The extended card was not read: ${extended.reason}.`.slice(0, 1_024)
    : null;
}

/** Whether an error is a failure of the agent and not of this process. */
const isUnreadable = (error: unknown): error is GatewayError | VendorError =>
  error instanceof VendorError || (error instanceof GatewayError && UNREADABLE.has(error.type));

const UNREADABLE: ReadonlySet<string> = new Set([
  'validation_failed',
  'custom_host_refused',
  'agent_transport_unsupported',
]);
