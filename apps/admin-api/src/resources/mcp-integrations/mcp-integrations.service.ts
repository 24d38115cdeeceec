import { McpIntegrationEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { assign, columnsOf, invalid, listWithMoreOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { Brackets, DataSource, type EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree, autoSlug } from '../../platform/common/slugs';
import { escapeLike } from '../../platform/common/text';
import { NAMED_MAX } from '../../platform/common/uses';
import { readMappingsTo, type SecretMappingDto } from '../../platform/credentials/secret-mappings';
import type { At } from '../../platform/resource/at';
import { archiveRow, createRow, findRow, patchRow } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import {
  countMcpWorkspaces,
  liveMcpServers,
  MCP_REACH,
  usableMcpIntegrations,
} from '../../platform/rows/mcp-integrations.queries';
import { archiveMcpServers } from '../../platform/rows/mcp-rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { mcpTargetOf } from './mcp-configurations';
import { McpCredentials } from './mcp-credentials.service';
import { countOf, mcpIntegrationTo } from './mcp-integration-rows';
import {
  McpPlainFields,
  type CreatedMcpIntegrationDto,
  type CreateMcpIntegrationDto,
  type ListMcpIntegrationsQuery,
  type UpdateMcpIntegrationDto,
} from './mcp-integrations.dto';
import {
  toMcpIntegration,
  type DeletedMcpIntegration,
  type McpIntegrationListResponse,
  type McpIntegrationResponse,
} from './mcp-integrations.view';
import { readPrices } from './mcp-prices';

/** Registers upstream MCP servers for an organisation or for one workspace. */
@Injectable()
export class McpIntegrationsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: McpCredentials,
  ) {}

  /** Creates an integration of the workspace of the call; without a workspace, of the organisation. */
  create(caller: Principal, input: CreateMcpIntegrationDto): Promise<CreatedMcpIntegrationDto> {
    const { organisationId, workspaceId } = caller;
    assertOwn(caller, input.organisation_id);
    const may = workspaceId === null ? MCP_REACH.forOrganisation : MCP_REACH.forWorkspace;
    if (!may(caller, 'create')) throw new GatewayError('scope_missing');
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const slug = input.slug ?? autoSlug(input.name);
      await assertSlugFree(manager, McpIntegrationEntity, { organisationId, slug, status: 'active' });
      const row = manager.create(McpIntegrationEntity, {
        ...columnsOf(McpPlainFields, input),
        ...{ id: uuidv7(), organisationId, workspaceId, slug, status: 'active', ownerId: actorOf(caller) },
        ...{ configurations: {}, sealedAuth: null, maskedAuth: {}, globalWorkspaceAccess: null },
        approvalMode: input.approval_mode ?? (workspaceId === null ? 'review_changes' : 'auto'),
        onChange: input.on_change ?? 'block',
        prices: readPrices(input.pricing ?? null),
        ...{ serverInfo: null, approvedServer: null, syncStatus: 'pending', lastSyncedAt: null },
        ...{ syncError: null, nextSyncAt: new Date() },
      });
      row.secretMappings = await readMcpMappings(manager, row, input.secret_mappings ?? null);
      this.credentials.apply(row, { configurations: input.configurations, caller, before: null });
      const saved = await createRow(write, mcpIntegrationTo('create'), row);
      return { id: saved.id, slug };
    });
  }

  async list(caller: Principal, query: ListMcpIntegrationsQuery): Promise<McpIntegrationListResponse> {
    assertOwn(caller, query.organisation_id);
    const { manager } = this.dataSource;
    const kinds = query.type ?? ['all'];
    const wants = (kind: 'organisation' | 'workspace'): boolean =>
      kinds.includes('all') || kinds.includes(kind);
    const rows = usableMcpIntegrations(manager, caller);
    if (!(wants('organisation') && MCP_REACH.forOrganisation(caller, 'list')))
      rows.andWhere('i.workspace_id IS NOT NULL');
    if (!wants('workspace')) rows.andWhere('i.workspace_id IS NULL');
    if (query.search !== undefined) {
      const search = `%${escapeLike(query.search)}%`;
      const matches = new Brackets((or) => or.where('i.name ILIKE :search').orWhere('i.slug ILIKE :search'));
      rows.andWhere(matches, { search });
    }
    const { skip, take } = windowOf(query);
    const order = rows.orderBy('i.createdAt', 'DESC').addOrderBy('i.id', 'DESC');
    const [page, total] = await order.skip(skip).take(take).getManyAndCount();
    const counts = await countMcpWorkspaces(manager, page);
    return listWithMoreOf([page.map((row) => toMcpIntegration(row, counts.get(row.id) ?? 0)), total], query);
  }

  async get(at: At): Promise<McpIntegrationResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, mcpIntegrationTo('read'), at);
    return toMcpIntegration(row, await countOf(manager, row));
  }

  update(at: At, input: UpdateMcpIntegrationDto): Promise<object> {
    const { configurations, secret_mappings: mappings, approval_mode: mode, on_change: onChange } = input;
    return this.writes.run(at.caller, (write) =>
      patchRow(write, mcpIntegrationTo('update'), at, async (row) => {
        const before = { url: row.url, secretMappings: row.secretMappings };
        const read = readAs(row);
        assign(McpPlainFields, row, input);
        if (mappings !== undefined) row.secretMappings = await readMcpMappings(write.manager, row, mappings);
        else if (row.secretMappings !== null) assertMappable(row);
        this.credentials.apply(row, { configurations, caller: at.caller, before });
        if (mode !== undefined) row.approvalMode = mode;
        if (onChange !== undefined) row.onChange = onChange;
        if (input.pricing !== undefined) row.prices = readPrices(input.pricing);
        if (readAs(row) !== read) Object.assign(row, { syncStatus: 'pending', nextSyncAt: new Date() });
      }),
    );
  }

  /** Archives the integration and its servers, and lists these in the response. */
  remove(at: At): Promise<DeletedMcpIntegration> {
    return this.writes.run(at.caller, async (write) => {
      const ended: string[] = [];
      await archiveRow(write, mcpIntegrationTo('delete'), at, async (row) => {
        const servers = await liveMcpServers(write.manager, row);
        await archiveMcpServers(write, servers);
        ended.push(...servers.map(({ slug }) => slug));
        // An archived integration cannot be restored, so its secrets are not needed any more.
        row.sealedAuth = null;
      });
      if (ended.length === 0) return {};
      const message = 'was archived with its integration';
      return {
        warnings: ended.slice(0, NAMED_MAX).map((slug) => ({ path: `mcp_servers.${slug}`, message })),
      };
    });
  }
}

/** What decides what a server answers; a change makes the saved capabilities old. */
const readAs = ({ url, transport, authType, sealedAuth }: McpIntegrationEntity): string =>
  JSON.stringify([url, transport, authType, sealedAuth === null]);

function assertOwn({ organisationId }: Principal, named: string | undefined): void {
  if (named !== undefined && named.toLowerCase() !== organisationId)
    throw invalid('organisation_id', 'organisation_id must be the organisation of the credential');
}

const readMcpMappings = (
  manager: EntityManager,
  row: McpIntegrationEntity,
  input: readonly SecretMappingDto[] | null,
): Promise<McpIntegrationEntity['secretMappings']> =>
  readMappingsTo(manager, row, input, (field) => mcpTargetOf(field, row.authType));

/** Throws `validation_failed` when a saved mapping does not fit the authentication any more. */
function assertMappable({ secretMappings, authType }: McpIntegrationEntity): void {
  if ((secretMappings ?? []).every(({ target_field }) => mcpTargetOf(target_field, authType) !== null))
    return;
  throw invalid(
    'secret_mappings',
    `has targets that auth_type ${authType} does not use; send secret_mappings for it, or null`,
  );
}
