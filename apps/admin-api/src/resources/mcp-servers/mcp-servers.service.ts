import { documentKey } from '@gw/contracts';
import { McpHealthEntity, McpIntegrationEntity, McpServerEntity, WorkspaceEntity } from '@gw/entities';
import { assign, pickOf, plainListOf } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { found, inWorkspace, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { mcpServerUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import { McpServerTests } from '../../platform/mcp/mcp-server-tests';
import { newMcpSlug } from '../../platform/mcp/mcp-slugs';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, createRow, findRow, listRows, patchRow, present } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { endGrantsOfTargets } from '../../platform/rows/grant-ends';
import { MCP_INTEGRATION, usableMcpIntegrations } from '../../platform/rows/mcp-integrations.queries';
import { deletePartsOfServers } from '../../platform/rows/mcp-rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { toHealth, type UpstreamHealthResponse } from '../../platform/upstreams/upstream-health.dto';
import { healthStrip } from '../../platform/upstreams/upstream-health.queries';
import { usableIntegration } from '../../platform/upstreams/usable-integrations';
import { SETTINGS } from '../../settings';
import { MCP_SERVER } from './mcp-server-rows';
import {
  McpServerFields,
  type CreatedMcpServerResponse,
  type CreateMcpServerDto,
  type ListMcpServersQuery,
  type UpdateMcpServerDto,
} from './mcp-servers.dto';
import {
  toMcpServer,
  toMcpServerDetail,
  toMcpServerMetadata,
  type McpServerDetailResponse,
  type McpServerListResponse,
  type McpServerMetadataResponse,
  type McpServerParts,
  type McpServerTestResponse,
} from './mcp-servers.view';

const PLAIN = pickOf(McpServerFields, 'name', 'description');

const NOT_USABLE: McpServerTestResponse = {
  ...{ success: false, status_code: null, response_time_ms: null, url: null, server_name: '' },
  error: 'The workspace may not use the MCP integration; an administrator must enable it for the workspace.',
};

/** Manages the MCP servers of workspaces, through which members call an MCP integration. */
@Injectable()
export class McpServersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly tests: McpServerTests,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  create(caller: Principal, input: CreateMcpServerDto): Promise<CreatedMcpServerResponse> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const integration = await usableIntegration(manager, MCP_INTEGRATION, owner, {
        ...{ reference: input.mcp_integration_id, param: 'mcp_integration_id', what: 'an MCP integration' },
      });
      write.changed(documentKey.mcpCatalogue(owner.workspaceId));
      const { id, slug } = await createRow(write, MCP_SERVER, {
        ...owner,
        name: input.name,
        description: input.description ?? null,
        slug: await newMcpSlug(manager, owner.workspaceId, input),
        integrationId: integration.id,
        ownerId: actorOf(caller),
        status: 'active',
        defaultUserAccess: 'allow',
        accessRules: [],
        defaultEffect: 'allow',
      });
      return { id, slug };
    });
  }

  async list(caller: Principal, query: ListMcpServersQuery): Promise<McpServerListResponse> {
    const { manager } = this.dataSource;
    const id = query.id && In(query.id.map((each) => each.toLowerCase()));
    const [rows, total] = await listRows(manager, MCP_SERVER, query, {
      where: { ...reach(caller), status: 'active', ...present({ id }) },
      search: { text: query.search, in: ['name', 'slug'] },
    });
    const partsOf = await this.partsOf(manager, rows);
    return plainListOf([rows.map((row) => toMcpServer(row, partsOf(row))), total]);
  }

  async get(at: ResourceReference): Promise<McpServerDetailResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, MCP_SERVER, at);
    return toMcpServerDetail(row, (await this.partsOf(manager, [row]))(row));
  }

  update(at: ResourceReference, input: UpdateMcpServerDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, MCP_SERVER, at, (row) => {
        assign(PLAIN, row, input);
      }),
    );
  }

  /**
   * Archives the server, deletes its connections, user exceptions, capability switches and
   * guardrail mappings, and ends the OAuth grants for it.
   */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, MCP_SERVER, at, async ({ id, workspaceId }) => {
        write.changed(documentKey.mcpCatalogue(workspaceId));
        await deletePartsOfServers(write, [id]);
        await endGrantsOfTargets(write, [id]);
      }),
    );
  }

  /**
   * Returns the upstream server's information about itself; all members are null before the first
   * sync.
   */
  async metadata(at: ResourceReference): Promise<McpServerMetadataResponse> {
    const { manager } = this.dataSource;
    const { integrationId } = await findRow(manager, MCP_SERVER, at);
    return toMcpServerMetadata(found(await manager.findOneBy(McpIntegrationEntity, { id: integrationId })));
  }

  /**
   * Returns the state of the upstream server at its last check, and the checks of the last 24
   * hours.
   */
  async health(at: ResourceReference): Promise<UpstreamHealthResponse> {
    const { manager } = this.dataSource;
    const { integrationId: id } = await findRow(manager, MCP_SERVER, at);
    return toHealth(
      found(await manager.findOneBy(McpIntegrationEntity, { id })),
      await healthStrip(manager, McpHealthEntity, id),
    );
  }

  /**
   * Connects to the upstream server if the workspace may use its integration, and stores nothing.
   */
  async test(at: ResourceReference): Promise<McpServerTestResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, MCP_SERVER, at);
    const integration = await usableMcpIntegrations(manager, row)
      .andWhere('i.id = :integrationId', { integrationId: row.integrationId })
      .getOne();
    return integration === null ? NOT_USABLE : this.tests.testServer(integration);
  }

  private async partsOf(
    manager: EntityManager,
    rows: readonly McpServerEntity[],
  ): Promise<(row: McpServerEntity) => McpServerParts> {
    const integrations = await manager.findBy(McpIntegrationEntity, {
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
      const url = mcpServerUrl(this.settings, workspace.slug, slug);
      return { integration: found(integrationOf.get(integrationId)), workspace, url };
    };
  }
}
