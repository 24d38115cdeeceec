import { McpCapabilityEntity, type McpIntegrationEntity } from '@gw/entities';
import { GatewayError, type ErrorDetail } from '@gw/kernel';
import { LISTED_TYPES, type ListedType } from '@gw/mcp';
import { validationFailed } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not, type EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import type { McpCapabilitiesQuery } from '../../platform/mcp/mcp-capability-lists';
import type { At } from '../../platform/resource/at';
import { audit, findRow, lockRow, publish } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { Writes, type Write } from '../../platform/unit-of-work/writes';
import {
  type McpChangesQuery,
  type McpDecisionDto,
  type UpdateMcpCapabilitiesDto,
} from './mcp-capabilities.dto';
import {
  toMcpCapability,
  toMcpChange,
  toMcpMetadata,
  type McpCapabilitiesResponse,
  type McpCapabilitySuccessResponse,
  type McpChangesResponse,
  type McpDecisionResponse,
  type McpMetadataResponse,
} from './mcp-capabilities.view';
import { mcpIntegrationTo } from './mcp-integration-rows';
import { capabilityKey, nameDigestOf } from './mcp-snapshot';
import { saveSync } from './mcp-snapshots.queries';

const INTEGRATION = mcpIntegrationTo('update');
type Decision = 'approve' | 'reject';

/** What the server of an integration lists, and the decisions of administrators about it. */
@Injectable()
export class McpCapabilitiesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(
    at: At,
    { page, page_size: size, type }: McpCapabilitiesQuery,
  ): Promise<McpCapabilitiesResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, mcpIntegrationTo('read'), at);
    const { id } = integration;
    const [rows, total] = await manager.findAndCount(McpCapabilityEntity, {
      where: { integrationId: id, goneAt: IsNull(), type: type ?? In([...LISTED_TYPES]) },
      // Tools first: their type is the last one in the alphabet.
      order: { type: 'DESC', position: 'ASC' },
      ...{ skip: (page - 1) * size, take: size },
    });
    const counts = await countsOf(manager, id);
    const data = rows.map((row) => toMcpCapability(row, integration));
    return { data, counts, total, has_more: page * size < total };
  }

  async metadata(at: At): Promise<McpMetadataResponse> {
    return toMcpMetadata(await findRow(this.dataSource.manager, mcpIntegrationTo('read'), at));
  }

  /** Lists what is not approved in its newest definition, with the approved one. */
  async changes(at: At, { page, page_size: size }: McpChangesQuery): Promise<McpChangesResponse> {
    const { manager } = this.dataSource;
    const { id } = await findRow(manager, mcpIntegrationTo('read'), at);
    const [rows, total] = await manager.findAndCount(McpCapabilityEntity, {
      where: { integrationId: id, goneAt: IsNull(), state: Not('approved') },
      order: { type: 'DESC', position: 'ASC' },
      ...{ skip: (page - 1) * size, take: size },
    });
    return { data: rows.map(toMcpChange), total, has_more: page * size < total };
  }

  /** Switches capabilities on or off for all workspaces. */
  update(at: At, { capabilities }: UpdateMcpCapabilitiesDto): Promise<McpCapabilitySuccessResponse> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const integration = await lockRow(write, INTEGRATION, at);
      const known = await listedRows(manager, integration, capabilities);
      const faults: ErrorDetail[] = [];
      for (const [index, { type, name, enabled }] of capabilities.entries()) {
        const row = known.get(capabilityKey(type, nameDigestOf(name)));
        if (row) row.enabled = enabled;
        else
          faults.push({
            path: `capabilities.${String(index)}.name`,
            message: `is not a ${type} that the server lists; synchronise the integration, or remove it`,
          });
      }
      if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
      await manager.save(McpCapabilityEntity, [...known.values()], { chunk: 500 });
      const after = capabilities.slice(0, 100).map(({ type, name, enabled }) => ({ type, name, enabled }));
      audit(write, INTEGRATION, 'update_capabilities', integration, { after: { capabilities: after } });
      await publish(write, INTEGRATION, integration);
      return { success: true };
    });
  }

  /**
   * Approves or rejects definitions by their digests. A definition that has changed since it was shown stays as it is
   * and is returned as stale. Throws `conflict` when all are stale.
   */
  decide(at: At, decision: Decision, { items, reason }: McpDecisionDto): Promise<McpDecisionResponse> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const integration = await lockRow(write, INTEGRATION, at);
      const known = await listedRows(manager, integration, items);
      const newest = ({ type, name, digest }: (typeof items)[number]): McpCapabilityEntity | null => {
        const row = known.get(capabilityKey(type, nameDigestOf(name)));
        return row?.digest === digest ? row : null;
      };
      const stale = items.filter((item) => newest(item) === null);
      if (stale.length === items.length) throw new GatewayError('conflict', { message: ALL_STALE });
      const rows = [...new Set(items.map(newest).filter((row) => row !== null))];
      for (const row of rows) decided(row, decision, write.caller);
      await manager.save(McpCapabilityEntity, rows, { chunk: 500 });
      await keepServer(write, integration, rows, decision);
      const after = rows.slice(0, 100).map(({ type, name, digest }) => ({ type, name, digest }));
      audit(write, INTEGRATION, `${decision}_capabilities`, integration, {
        after: { capabilities: after, total: rows.length, reason: reason ?? null },
      });
      await publish(write, INTEGRATION, integration);
      const count = rows.length;
      return {
        approved: decision === 'approve' ? count : 0,
        rejected: decision === 'reject' ? count : 0,
        stale: stale.map(({ type, name, digest }) => ({ type, name, digest })),
      };
    });
  }
}

const ALL_STALE =
  'All definitions have changed since they were shown; read capabilities/changes again before you decide.';

function decided(row: McpCapabilityEntity, decision: Decision, caller: Principal): void {
  row.state = decision === 'approve' ? 'approved' : 'rejected';
  if (decision === 'approve') row.approved = row.definition;
  row.decidedBy = actorOf(caller);
  row.decidedAt = new Date();
}

/** Callers see the facts of the server that were approved last. */
async function keepServer(
  { manager }: Write,
  integration: McpIntegrationEntity,
  rows: readonly McpCapabilityEntity[],
  decision: Decision,
): Promise<void> {
  if (decision === 'reject' || !rows.some(({ type }) => type === 'server')) return;
  await saveSync(manager, integration, { approvedServer: integration.serverInfo });
}

/** Returns the rows of the named capabilities that the server lists, by `capabilityKey`. */
async function listedRows(
  manager: EntityManager,
  { id: integrationId }: McpIntegrationEntity,
  items: readonly { readonly type: string; readonly name: string }[],
): Promise<ReadonlyMap<string, McpCapabilityEntity>> {
  const wanted = new Set(items.map(({ type, name }) => capabilityKey(type, nameDigestOf(name))));
  const nameDigest = In(items.map(({ name }) => nameDigestOf(name)));
  const rows = await manager.findBy(McpCapabilityEntity, { integrationId, nameDigest, goneAt: IsNull() });
  return new Map(
    rows
      .map((row) => [capabilityKey(row.type, row.nameDigest), row] as const)
      .filter(([key]) => wanted.has(key)),
  );
}

async function countsOf(
  manager: EntityManager,
  integrationId: string,
): Promise<McpCapabilitiesResponse['counts']> {
  const rows = await manager
    .createQueryBuilder(McpCapabilityEntity, 'c')
    .select('c.type', 'type')
    .addSelect('count(*)::int', 'total')
    .addSelect('(count(*) FILTER (WHERE c.enabled))::int', 'enabled')
    .where('c.integration_id = :integrationId AND c.gone_at IS NULL', { integrationId })
    .groupBy('c.type')
    .getRawMany<{ type: string; total: number; enabled: number }>();
  const of = (type: ListedType): { total: number; enabled: number } => {
    const row = rows.find((each) => each.type === type);
    return { total: row?.total ?? 0, enabled: row?.enabled ?? 0 };
  };
  return {
    tools: of('tool'),
    prompts: of('prompt'),
    resources: of('resource'),
    resource_templates: of('resource_template'),
  };
}
