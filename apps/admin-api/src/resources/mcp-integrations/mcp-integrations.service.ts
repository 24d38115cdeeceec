import type { McpIntegrationKind } from '@gw/contracts';
import {
  McpHealthEntity,
  McpIntegrationEntity,
  McpOauthClientEntity,
  McpOpenApiDocumentEntity,
} from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { assign, columnsOf, invalid, listWithMoreOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree, autoSlug } from '../../platform/common/slugs';
import { NAMED_MAX } from '../../platform/common/uses';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, createRow, findRow, patchRow } from '../../platform/resource/rows';
import { actorOf, listVersions } from '../../platform/resource/versioned';
import {
  countMcpWorkspaces,
  liveMcpServers,
  MCP_INTEGRATION,
  MCP_REACH,
} from '../../platform/rows/mcp-integrations.queries';
import { endConnections } from '../../platform/rows/connection-ends';
import { archiveMcpServers } from '../../platform/rows/mcp-rows';
import { Writes, type Write } from '../../platform/unit-of-work/writes';
import { UpstreamCredentials } from '../../platform/upstreams/upstream-credentials.service';
import { unknownHealth } from '../../platform/upstreams/upstream-health';
import { toHealth, type UpstreamHealthResponse } from '../../platform/upstreams/upstream-health.dto';
import { healthStrip } from '../../platform/upstreams/upstream-health.queries';
import { assertMappable, readUpstreamMappings } from '../../platform/upstreams/upstream-mappings';
import { listIntegrations } from '../../platform/upstreams/usable-integrations';
import { MCP_UPSTREAM } from './mcp-configurations';
import { countOf, mcpIntegrationTo } from './mcp-integration-rows';
import { saveFirstVersion, keepVersion, restored, versionAt, VERSIONS } from './mcp-integration-versions';
import {
  toMcpVersion,
  type McpVersionListResponse,
  type McpVersionsQuery,
  type RestoreMcpVersionDto,
} from './mcp-integration-versions.dto';
import {
  McpPlainFields,
  type CreatedMcpIntegrationResponse,
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
import { baseUrlFault } from './openapi/base-url';

/** Registers upstream MCP servers for an organisation or for a single workspace. */
@Injectable()
export class McpIntegrationsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: UpstreamCredentials,
  ) {}

  /**
   * Creates an integration of the workspace of the call, or of the organisation when the call names
   * none.
   */
  create(caller: Principal, input: CreateMcpIntegrationDto): Promise<CreatedMcpIntegrationResponse> {
    assertMayCreate(caller, input.organisation_id);
    return this.writes.run(caller, async (write) => {
      const { id, slug } = await this.insert(write, input, 'server');
      return { id, slug };
    });
  }

  /**
   * Inserts an integration for a caller who may create one. `finish` inserts its dependent rows.
   * Throws `validation_failed`, `custom_host_refused` and `conflict`.
   */
  async insert(
    write: Write<Principal>,
    input: CreateMcpIntegrationDto,
    kind: McpIntegrationKind,
    finish?: (row: McpIntegrationEntity) => Promise<void>,
  ): Promise<McpIntegrationEntity> {
    const { manager, caller } = write;
    const { organisationId, workspaceId } = caller;
    const slug = input.slug ?? autoSlug(input.name);
    await assertSlugFree(manager, McpIntegrationEntity, { organisationId, slug, status: 'active' });
    const row = manager.create(McpIntegrationEntity, {
      ...columnsOf(McpPlainFields, input),
      ...{ id: uuidv7(), organisationId, workspaceId, slug, status: 'active', ownerId: actorOf(caller) },
      ...{ kind, configurations: {}, sealedAuth: null, maskedAuth: {}, globalWorkspaceAccess: null },
      approvalMode: input.approval_mode ?? (workspaceId === null ? 'review_changes' : 'auto'),
      onChange: input.on_change ?? 'block',
      prices: readPrices(input.pricing ?? null),
      ...{ serverInfo: null, approvedServer: null, syncStatus: 'pending', lastSyncedAt: null },
      ...{ syncError: null, nextSyncAt: new Date() },
    });
    row.secretMappings = await readUpstreamMappings(
      MCP_UPSTREAM,
      manager,
      row,
      input.secret_mappings ?? null,
    );
    this.credentials.apply(MCP_UPSTREAM, row, { configurations: input.configurations, caller, before: null });
    assertFitsKind(row);
    return createRow(write, mcpIntegrationTo('create'), row, async (created) => {
      await keepVersion(manager, caller, created);
      await finish?.(created);
    });
  }

  async list(caller: Principal, query: ListMcpIntegrationsQuery): Promise<McpIntegrationListResponse> {
    assertOwn(caller, query.organisation_id);
    const { manager } = this.dataSource;
    const [page, total] = await listIntegrations(manager, MCP_INTEGRATION, caller, query);
    const counts = await countMcpWorkspaces(manager, page);
    return listWithMoreOf([page.map((row) => toMcpIntegration(row, counts.get(row.id) ?? 0)), total], query);
  }

  async get(at: ResourceReference): Promise<McpIntegrationResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, mcpIntegrationTo('read'), at);
    return toMcpIntegration(row, await countOf(manager, row));
  }

  /** Updates an integration. Each update creates a version. */
  update(at: ResourceReference, input: UpdateMcpIntegrationDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, mcpIntegrationTo('update'), at, (row) => this.change(write, row, input)),
    );
  }

  /** Returns a page of versions, newest first. */
  async versions(at: ResourceReference, query: McpVersionsQuery): Promise<McpVersionListResponse> {
    const { manager } = this.dataSource;
    const { id } = await findRow(manager, mcpIntegrationTo('read'), at);
    const [versions, total] = await listVersions(manager, VERSIONS, id, query);
    return listWithMoreOf([versions.map(toMcpVersion), total], query);
  }

  /**
   * Restores the integration to a version, as an update that creates a further version. Throws as
   * `update` does.
   */
  restore(
    at: ResourceReference,
    version: string,
    { configurations = {} }: RestoreMcpVersionDto,
  ): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(
        write,
        mcpIntegrationTo('update'),
        at,
        async (row) => {
          const saved = await versionAt(write.manager, row.id, version);
          await this.change(write, row, restored(saved, row, configurations));
          return { restored_version: saved.number };
        },
        'restore',
      ),
    );
  }

  /** Returns the state of the server at the last check, and the checks of the last 24 hours. */
  async health(at: ResourceReference): Promise<UpstreamHealthResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, mcpIntegrationTo('read'), at);
    return toHealth(row, await healthStrip(manager, McpHealthEntity, row.id));
  }

  private async change(
    write: Write<Principal>,
    row: McpIntegrationEntity,
    input: UpdateMcpIntegrationDto,
  ): Promise<void> {
    const { manager, caller } = write;
    const { configurations, secret_mappings: mappings, approval_mode: mode, on_change: onChange } = input;
    await saveFirstVersion(manager, caller, row);
    const before = { url: row.url, secretMappings: row.secretMappings };
    const [read, granted] = [readAs(row), grantedFor(row)];
    assign(McpPlainFields, row, input);
    assertFitsKind(row);
    if (mappings !== undefined)
      row.secretMappings = await readUpstreamMappings(MCP_UPSTREAM, manager, row, mappings);
    else if (row.secretMappings !== null) assertMappable(MCP_UPSTREAM, row);
    this.credentials.apply(MCP_UPSTREAM, row, { configurations, caller, before });
    if (mode !== undefined) row.approvalMode = mode;
    if (onChange !== undefined) row.onChange = onChange;
    if (input.pricing !== undefined) row.prices = readPrices(input.pricing);
    if (readAs(row) !== read) Object.assign(row, pendingSync(row));
    if (grantedFor(row) !== granted) await endTokens(write, row);
    await keepVersion(manager, caller, row);
  }

  /** Archives the integration and its servers, and lists the servers in the response. */
  remove(at: ResourceReference): Promise<DeletedMcpIntegration> {
    return this.writes.run(at.caller, async (write) => {
      const ended: string[] = [];
      await archiveRow(write, mcpIntegrationTo('delete'), at, async (row) => {
        const servers = await liveMcpServers(write.manager, row);
        await archiveMcpServers(write, servers);
        ended.push(...servers.map(({ slug }) => slug));
        // An archived integration cannot be restored, so its secrets are no longer needed.
        row.sealedAuth = null;
        await write.manager.delete(McpOauthClientEntity, { integrationId: row.id });
        await write.manager.delete(McpOpenApiDocumentEntity, { integrationId: row.id });
      });
      if (ended.length === 0) return {};
      const message = 'was archived with its integration';
      return {
        warnings: ended.slice(0, NAMED_MAX).map((slug) => ({ path: `mcp_servers.${slug}`, message })),
      };
    });
  }
}

/**
 * Returns a key of all values that decide a server's responses; the saved capabilities are outdated
 * when it changes.
 */
const readAs = ({ url, transport, authType, sealedAuth, secretMappings }: McpIntegrationEntity): string =>
  JSON.stringify([url, transport, authType, sealedAuth, secretMappings]);

/**
 * Returns a key of the address and method for which users' tokens were granted; they are sent to no
 * other address.
 */
const grantedFor = ({ url, authType, configurations }: McpIntegrationEntity): string =>
  JSON.stringify([url, authType, configurations['token_exchange'], configurations['id_jag']]);

async function endTokens(write: Write<Principal>, row: McpIntegrationEntity): Promise<void> {
  const servers = await liveMcpServers(write.manager, row);
  if (servers.length === 0) return;
  const { organisationId } = row;
  await endConnections(write, { organisationId, serverIds: servers.map(({ id }) => id) });
}

/**
 * Returns the columns that make a server be read and checked again, after a change of its address
 * or authentication.
 */
const pendingSync = (row: McpIntegrationEntity): Partial<McpIntegrationEntity> => ({
  ...{ syncStatus: 'pending', nextSyncAt: new Date() },
  ...unknownHealth(row),
});

/**
 * Throws `scope_missing` and `validation_failed` when the caller may not create an integration in
 * the workspace or organisation of the call.
 */
export function assertMayCreate(caller: Principal, organisation: string | undefined): void {
  assertOwn(caller, organisation);
  const may = caller.workspaceId === null ? MCP_REACH.forOrganisation : MCP_REACH.forWorkspace;
  if (!may(caller, 'create')) throw new GatewayError('scope_missing');
}

/** Throws `validation_failed` for settings that an HTTP service cannot have. */
function assertFitsKind({ kind, url, transport }: McpIntegrationEntity): void {
  if (kind !== 'openapi') return;
  const fault = baseUrlFault(url);
  if (fault !== null) throw invalid('url', fault);
  if (transport !== 'http') throw invalid('transport', 'must be http: the integration is an HTTP service');
}

function assertOwn({ organisationId }: Principal, named: string | undefined): void {
  if (named !== undefined && named.toLowerCase() !== organisationId)
    throw invalid('organisation_id', 'organisation_id must be the organisation of the credential');
}
