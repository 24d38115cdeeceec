import { AgentCardEntity, AgentHealthEntity, AgentIntegrationEntity } from '@gw/entities';
import { GatewayError, VendorError, type AddressPolicy } from '@gw/kernel';
import { invalid, listWithMoreOf } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertOwnOrganisation } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree, autoSlug } from '../../platform/common/slugs';
import { NAMED_MAX } from '../../platform/common/uses';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, createRow, findRow, patchRow } from '../../platform/resource/rows';
import {
  AGENT_INTEGRATION,
  AGENT_REACH,
  archiveAgentServers,
  liveAgentServers,
} from '../../platform/rows/agent-rows';
import { Writes, type Write } from '../../platform/unit-of-work/writes';
import { UpstreamCredentials } from '../../platform/upstreams/upstream-credentials.service';
import { unknownHealth } from '../../platform/upstreams/upstream-health';
import { toHealth, type UpstreamHealthResponse } from '../../platform/upstreams/upstream-health.dto';
import { healthStrip } from '../../platform/upstreams/upstream-health.queries';
import { assertMappable, readUpstreamMappings } from '../../platform/upstreams/upstream-mappings';
import { listIntegrations } from '../../platform/upstreams/usable-integrations';
import { cardIn, type FittingCard } from './agent-card-content';
import { AGENT_UPSTREAM } from './agent-configurations';
import { aimsOf, assignAgentFields, newAgentRow, originOf, readAs } from './agent-integration-changes';
import { agentIntegrationTo, countsOf, storedCard } from './agent-integration-rows';
import type {
  CreatedAgentIntegrationResponse,
  CreateAgentIntegrationDto,
  ListAgentIntegrationsQuery,
  UpdateAgentIntegrationDto,
} from './agent-integrations.dto';
import {
  toAgentIntegration,
  toAgentIntegrationDetail,
  type AgentIntegrationDetailResponse,
  type AgentIntegrationListResponse,
  type DeletedAgentIntegration,
} from './agent-integrations.view';
import { AgentSnapshots } from './agent-snapshots.service';
import { assertReadsKeys, assignTrustedKeys } from './agent-trusted-keys';

/** Registers A2A agents for an organisation or for a single workspace. */
@Injectable()
export class AgentIntegrationsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: UpstreamCredentials,
    private readonly snapshots: AgentSnapshots,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
  ) {}

  /**
   * Creates an integration of the workspace of the call, or of the organisation when the call names
   * none. First reads the card, unless the request contains one.
   */
  async create(
    caller: Principal,
    input: CreateAgentIntegrationDto,
  ): Promise<CreatedAgentIntegrationResponse> {
    const { organisationId, workspaceId } = caller;
    assertOwnOrganisation(caller, input.organisation_id);
    const may = workspaceId === null ? AGENT_REACH.forOrganisation : AGENT_REACH.forWorkspace;
    if (!may(caller, 'create')) throw new GatewayError('scope_missing');
    const { manager } = this.dataSource;
    const { slug: given } = input;
    const taken = (slug: string) => ({ organisationId, slug, status: 'active' }) as const;
    if (given !== undefined) await assertSlugFree(manager, AgentIntegrationEntity, taken(given));
    const row = newAgentRow(manager, caller, input);
    assignTrustedKeys(row, input, this.policy);
    assertReadsKeys(row);
    const mappings = input.secret_mappings ?? null;
    row.secretMappings = await this.dataSource.transaction((own) =>
      readUpstreamMappings(AGENT_UPSTREAM, own, row, mappings),
    );
    this.credentials.apply(AGENT_UPSTREAM, row, {
      configurations: input.configurations,
      caller,
      before: null,
    });
    const card =
      row.source === 'manual'
        ? this.given(row, input.agent_card)
        : await this.snapshots.within(row, () => this.fetched(row));
    row.name = input.name ?? String(card.members['name']);
    row.slug = given ?? autoSlug(row.name);
    return this.writes.run(caller, async (write) => {
      await assertSlugFree(write.manager, AgentIntegrationEntity, taken(row.slug));
      // A secret reference may have been archived while the card was read.
      row.secretMappings = await readUpstreamMappings(AGENT_UPSTREAM, write.manager, row, mappings);
      const { id, slug } = await createRow(write, agentIntegrationTo('create'), row, async (saved) => {
        const { columns } = await this.snapshots.keep(write, saved, card);
        await this.snapshots.save(write.manager, saved, columns);
      });
      return { id, slug };
    });
  }

  async list(caller: Principal, query: ListAgentIntegrationsQuery): Promise<AgentIntegrationListResponse> {
    assertOwnOrganisation(caller, query.organisation_id);
    const { manager } = this.dataSource;
    const [page, total] = await listIntegrations(manager, AGENT_INTEGRATION, caller, query);
    const counts = await countsOf(manager, page);
    return listWithMoreOf([page.map((row) => toAgentIntegration(row, counts(row))), total], query);
  }

  async get(at: ResourceReference): Promise<AgentIntegrationDetailResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, agentIntegrationTo('read'), at);
    const counts = await countsOf(manager, [row]);
    return toAgentIntegrationDetail(row, counts(row), await storedCard(manager, row));
  }

  /** Returns the state of the agent at the last check, and the checks of the last 24 hours. */
  async health(at: ResourceReference): Promise<UpstreamHealthResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, agentIntegrationTo('read'), at);
    return toHealth(row, await healthStrip(manager, AgentHealthEntity, row.id));
  }

  /**
   * Updates an integration. A change of the address or of the credentials makes the job read the
   * card again; until then, gateways do not call an agent at the new address.
   */
  update(at: ResourceReference, input: UpdateAgentIntegrationDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, agentIntegrationTo('update'), at, (row) => this.change(write, row, input)),
    );
  }

  /**
   * Archives the integration and its agents in workspaces, and lists the agents in the response.
   */
  remove(at: ResourceReference): Promise<DeletedAgentIntegration> {
    return this.writes.run(at.caller, async (write) => {
      const ended: string[] = [];
      await archiveRow(write, agentIntegrationTo('delete'), at, async (row) => {
        const servers = await liveAgentServers(write.manager, [row]);
        await archiveAgentServers(write, servers);
        ended.push(...servers.map(({ slug }) => slug));
        // An archived integration cannot be restored, so its secrets are no longer needed.
        row.sealedAuth = null;
        await write.manager.delete(AgentCardEntity, { integrationId: row.id });
      });
      if (ended.length === 0) return {};
      const message = 'was archived with its integration';
      return {
        warnings: ended.slice(0, NAMED_MAX).map((slug) => ({ path: `agent_servers.${slug}`, message })),
      };
    });
  }

  private async change(
    write: Write<Principal>,
    row: AgentIntegrationEntity,
    input: UpdateAgentIntegrationDto,
  ): Promise<void> {
    const { configurations, secret_mappings: mappings, agent_card: given } = input;
    const before = { ...row };
    assignAgentFields(row, input);
    assignTrustedKeys(row, input, this.policy);
    assertReadsKeys(row);
    if (mappings !== undefined)
      row.secretMappings = await readUpstreamMappings(AGENT_UPSTREAM, write.manager, row, mappings);
    else if (row.secretMappings !== null) assertMappable(AGENT_UPSTREAM, row);
    const card = await this.cardInUse(write, before, row, given);
    const aims = aimsOf(before, row, card);
    this.credentials.apply(AGENT_UPSTREAM, row, { configurations, caller: write.caller, before, aims });
    if (readAs(row) === readAs(before) && given === undefined) return;
    Object.assign(row, unknownHealth(row));
    if (originOf(row.url) !== originOf(before.url)) row.approvedEndpoint = null;
    if (card !== null) await this.snapshots.keep(write, row, card);
    if (row.source === 'fetched') Object.assign(row, { syncStatus: 'pending', nextSyncAt: new Date() });
  }

  /**
   * Returns the card that is in use after an update; null when the card of the changed address is
   * not known yet.
   */
  private async cardInUse(
    { manager }: Write<Principal>,
    before: Pick<AgentIntegrationEntity, 'url' | 'source' | 'trustedKeysUrl'>,
    row: AgentIntegrationEntity,
    given: UpdateAgentIntegrationDto['agent_card'],
  ): Promise<FittingCard | null> {
    if (given !== undefined && given !== null) return this.given(row, given);
    // While the keys of a key set address are unknown, no card can be verified.
    const { trustedKeysUrl: keysUrl, trustedKeys: keys } = row;
    const isOfKeys = keysUrl === null || (keysUrl === before.trustedKeysUrl && keys !== null);
    const isOfAddress = row.url === before.url && before.source === 'fetched' && isOfKeys;
    const card = row.source === 'manual' || isOfAddress ? await storedCard(manager, row) : null;
    return card === null ? null : this.snapshots.fitting(row, cardIn(card, row, this.policy));
  }

  private given(row: AgentIntegrationEntity, card: object | null | undefined): FittingCard {
    return this.snapshots.fitting(row, cardIn(JSON.stringify(card), row, this.policy));
  }

  /** Reads the card of a new integration. Its faults are reported as faults of the request. */
  private async fetched(row: AgentIntegrationEntity): Promise<FittingCard> {
    try {
      return await this.snapshots.fetch(row);
    } catch (error) {
      if (error instanceof VendorError)
        throw invalid('configurations', `The credential could not be obtained: ${error.message}`);
      if (!(error instanceof GatewayError) || error.options.param !== 'endpoint') throw error;
      const message = error.message.replace(/^endpoint\b/, 'url');
      throw new GatewayError(error.type, { ...error.options, param: 'url', message, cause: error });
    }
  }
}
