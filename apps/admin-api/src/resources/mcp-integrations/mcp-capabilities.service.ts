import { McpCapabilityEntity, McpIntegrationEntity } from '@gw/entities';
import { LISTED_TYPES, type ListedType } from '@gw/mcp';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager } from 'typeorm';
import type { McpCapabilitiesQuery } from '../../platform/mcp/mcp-capability-lists';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, lockRow } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import {
  decideCapabilities,
  switchCapabilities,
  waitingCapabilities,
  type CapabilityKind,
  type Decision,
} from '../../platform/upstreams/capability-decisions';
import { saveSync } from '../../platform/upstreams/upstream-sync.queries';
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

const INTEGRATION = mcpIntegrationTo('update');

/** Texts of a rejected server. Its capabilities are still served. */
const NO_TEXTS = { name: null, version: null, title: null, description: null, instructions: null } as const;

const CAPABILITIES: CapabilityKind<McpIntegrationEntity, McpCapabilityEntity> = {
  ...{ integration: INTEGRATION, entity: McpCapabilityEntity, member: 'capabilities', selfType: 'server' },
  unknown: (index, type) => ({
    path: `capabilities.${String(index)}.name`,
    message: `is not a ${type} that the server lists; synchronise the integration, or remove it`,
  }),
  serveSelf: (manager, integration) =>
    saveSync(manager, McpIntegrationEntity, integration, { approvedServer: integration.serverInfo }),
  withdrawSelf: (manager, integration) =>
    saveSync(manager, McpIntegrationEntity, integration, {
      approvedServer: integration.approvedServer && { ...integration.approvedServer, ...NO_TEXTS },
    }),
};

/**
 * Lists the capabilities of an integration's server and applies the decisions of administrators.
 */
@Injectable()
export class McpCapabilitiesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(
    at: ResourceReference,
    { page, page_size: size, type }: McpCapabilitiesQuery,
  ): Promise<McpCapabilitiesResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, mcpIntegrationTo('read'), at);
    const { id } = integration;
    const [rows, total] = await manager.findAndCount(McpCapabilityEntity, {
      where: { integrationId: id, goneAt: IsNull(), type: type ?? In([...LISTED_TYPES]) },
      // Tools come first, because their type is the last one in alphabetical order.
      order: { type: 'DESC', position: 'ASC' },
      ...{ skip: (page - 1) * size, take: size },
    });
    const counts = await countsOf(manager, id);
    const data = rows.map((row) => toMcpCapability(row, integration));
    return { data, counts, total, has_more: page * size < total };
  }

  async metadata(at: ResourceReference): Promise<McpMetadataResponse> {
    return toMcpMetadata(await findRow(this.dataSource.manager, mcpIntegrationTo('read'), at));
  }

  /** Lists the items whose newest definition is not approved, each with its approved definition. */
  async changes(at: ResourceReference, query: McpChangesQuery): Promise<McpChangesResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, mcpIntegrationTo('read'), at);
    const [rows, total] = await waitingCapabilities(manager, McpCapabilityEntity, integration, query);
    return { data: rows.map(toMcpChange), total, has_more: query.page * query.page_size < total };
  }

  /** Enables or disables capabilities for all workspaces. */
  update(
    at: ResourceReference,
    { capabilities }: UpdateMcpCapabilitiesDto,
  ): Promise<McpCapabilitySuccessResponse> {
    return this.writes.run(at.caller, async (write) => {
      const integration = await lockRow(write, INTEGRATION, at);
      await switchCapabilities(write, CAPABILITIES, integration, capabilities);
      return { success: true };
    });
  }

  /**
   * Approves or rejects definitions by their digests. A definition that has changed since the
   * administrator saw it stays as it is and is returned as stale. Throws `conflict` when all are
   * stale.
   */
  decide(at: ResourceReference, decision: Decision, input: McpDecisionDto): Promise<McpDecisionResponse> {
    return this.writes.run(at.caller, async (write) => {
      const integration = await lockRow(write, INTEGRATION, at);
      const { decided, stale } = await decideCapabilities(write, CAPABILITIES, integration, decision, input);
      return {
        approved: decision === 'approve' ? decided : 0,
        rejected: decision === 'reject' ? decided : 0,
        stale,
      };
    });
  }
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
