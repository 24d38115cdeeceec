import { AgentHealthEntity, AgentIntegrationEntity, AgentServerEntity, WorkspaceEntity } from '@gw/entities';
import { assign, pickOf, plainListOf } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { AgentTests } from '../../platform/agents/agent-tests';
import { found, inWorkspace, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { agentServerUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, createRow, findRow, listRows, patchRow, present } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { endGrantsOfTargets } from '../../platform/rows/grant-ends';
import { AGENT_INTEGRATION, deletePartsOfAgents } from '../../platform/rows/agent-rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { toHealth, type UpstreamHealthResponse } from '../../platform/upstreams/upstream-health.dto';
import { healthStrip } from '../../platform/upstreams/upstream-health.queries';
import { usableIntegration, usableIntegrations } from '../../platform/upstreams/usable-integrations';
import { SETTINGS } from '../../settings';
import { AGENT_SERVER, newSlug } from './agent-server-rows';
import {
  AgentServerFields,
  type CreateAgentServerDto,
  type CreatedAgentServerResponse,
  type ListAgentServersQuery,
  type UpdateAgentServerDto,
} from './agent-servers.dto';
import {
  toAgentServer,
  toAgentServerDetail,
  type AgentServerDetailResponse,
  type AgentServerListResponse,
  type AgentServerParts,
  type AgentServerTestResponse,
} from './agent-servers.view';

const PLAIN = pickOf(AgentServerFields, 'name', 'description');

const NOT_USABLE: AgentServerTestResponse = {
  ...{ success: false, status_code: null, response_time_ms: null, url: null, agent_name: '' },
  error:
    'The workspace may not use the agent integration; an administrator must enable it for the workspace.',
};

/** Manages the agents of workspaces, through which members call an agent integration. */
@Injectable()
export class AgentServersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly tests: AgentTests,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  create(caller: Principal, input: CreateAgentServerDto): Promise<CreatedAgentServerResponse> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const integration = await usableIntegration(manager, AGENT_INTEGRATION, owner, {
        ...{ reference: input.agent_integration_id, param: 'agent_integration_id' },
        what: 'an agent integration',
      });
      const { id, slug } = await createRow(write, AGENT_SERVER, {
        ...owner,
        name: input.name,
        description: input.description ?? null,
        slug: await newSlug(manager, owner.workspaceId, input),
        integrationId: integration.id,
        ownerId: actorOf(caller),
        status: 'active',
        listed: input.listed ?? 'workspace',
        defaultUserAccess: 'allow',
        accessRules: [],
        defaultEffect: 'allow',
      });
      return { id, slug };
    });
  }

  async list(caller: Principal, query: ListAgentServersQuery): Promise<AgentServerListResponse> {
    const { manager } = this.dataSource;
    const id = query.id && In(query.id.map((each) => each.toLowerCase()));
    const [rows, total] = await listRows(manager, AGENT_SERVER, query, {
      where: { ...reach(caller), status: 'active', ...present({ id }) },
      search: { text: query.search, in: ['name', 'slug'] },
    });
    const partsOf = await this.partsOf(manager, rows);
    return plainListOf([rows.map((row) => toAgentServer(row, partsOf(row))), total]);
  }

  async get(at: ResourceReference): Promise<AgentServerDetailResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, AGENT_SERVER, at);
    return toAgentServerDetail(row, (await this.partsOf(manager, [row]))(row));
  }

  update(at: ResourceReference, input: UpdateAgentServerDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, AGENT_SERVER, at, (row) => {
        assign(PLAIN, row, input);
        if (input.listed !== undefined) row.listed = input.listed;
      }),
    );
  }

  /**
   * Archives the agent, deletes its user exceptions and skill switches, and ends the OAuth grants
   * for it.
   */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, AGENT_SERVER, at, async ({ id }) => {
        await deletePartsOfAgents(write, [id]);
        await endGrantsOfTargets(write, [id]);
      }),
    );
  }

  /** Returns the state of the agent at its last check, and the checks of the last 24 hours. */
  async health(at: ResourceReference): Promise<UpstreamHealthResponse> {
    const { manager } = this.dataSource;
    const { integrationId: id } = await findRow(manager, AGENT_SERVER, at);
    return toHealth(
      found(await manager.findOneBy(AgentIntegrationEntity, { id })),
      await healthStrip(manager, AgentHealthEntity, id),
    );
  }

  /** Calls the agent if the workspace may use its integration, and stores nothing. */
  async test(at: ResourceReference): Promise<AgentServerTestResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, AGENT_SERVER, at);
    const integration = await usableIntegrations(manager, AGENT_INTEGRATION, row)
      .andWhere('i.id = :integrationId', { integrationId: row.integrationId })
      .getOne();
    return integration === null ? NOT_USABLE : this.tests.testAgent(integration);
  }

  private async partsOf(
    manager: EntityManager,
    rows: readonly AgentServerEntity[],
  ): Promise<(row: AgentServerEntity) => AgentServerParts> {
    const integrations = await manager.findBy(AgentIntegrationEntity, {
      id: In([...new Set(rows.map(({ integrationId }) => integrationId))]),
    });
    const workspaces = await manager.find(WorkspaceEntity, {
      where: { id: In([...new Set(rows.map(({ workspaceId }) => workspaceId))]) },
      select: { id: true, slug: true, name: true },
    });
    const integrationOf = new Map(integrations.map((row) => [row.id, row]));
    const workspaceOf = new Map(workspaces.map((row) => [row.id, row]));
    return ({ integrationId, workspaceId, slug }) => {
      const workspace = found(workspaceOf.get(workspaceId));
      const url = agentServerUrl(this.settings, workspace.slug, slug);
      return { integration: found(integrationOf.get(integrationId)), workspace, url };
    };
  }
}
