import { McpApprovalEntity, McpServerEntity } from '@gw/entities';
import { GatewayError, MINUTE_MS } from '@gw/kernel';
import { plainListOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import {
  DataSource,
  In,
  LessThanOrEqual,
  MoreThan,
  type EntityManager,
  type FindOptionsWhere,
} from 'typeorm';
import { idOf, reach } from '../../platform/auth/tenancy';
import { isLoggedIn, type Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, listRows, patchRow, present, type Resource } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { Writes } from '../../platform/unit-of-work/writes';
import {
  statusOf,
  toAuditedMcpApproval,
  toMcpApproval,
  type ApprovalStatus,
  type ListMcpApprovalsQuery,
  type McpApprovalDecisionDto,
  type McpApprovalListResponse,
  type McpApprovalResponse,
} from './mcp-approvals.dto';

/** How long an approval can be used and a rejection applies to the same call, in milliseconds. */
const DECISION_MS = 10 * MINUTE_MS;

export type ApprovalDecision = 'approve' | 'reject';

const MCP_APPROVAL: Resource<McpApprovalEntity> = {
  entity: McpApprovalEntity,
  type: 'mcp_approvals',
  view: toAuditedMcpApproval,
  where: (caller, reference) => ({ ...reach(caller), id: idOf(reference) }),
};

/** Lists tool calls that wait for the approval of a person, and applies the decisions. */
@Injectable()
export class McpApprovalsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(caller: Principal, query: ListMcpApprovalsQuery): Promise<McpApprovalListResponse> {
    const { manager } = this.dataSource;
    const at = { ...reach(caller), ...present({ serverId: query.mcp_server_id?.toLowerCase() }) };
    const where = statesOf(query.status).map((state) => ({ ...at, ...state }));
    const [rows, total] = await listRows(manager, MCP_APPROVAL, query, { where });
    return plainListOf([await shown(manager, rows), total]);
  }

  async get(at: ResourceReference): Promise<McpApprovalResponse> {
    const { manager } = this.dataSource;
    const [view] = await shown(manager, [await findRow(manager, MCP_APPROVAL, at)]);
    return view as McpApprovalResponse;
  }

  /**
   * Approves or rejects a call. An unused approval can still be rejected. Throws `conflict` for a
   * call that is decided, used or expired, and `forbidden` for the credential that made the call.
   */
  decide(
    at: ResourceReference,
    decision: ApprovalDecision,
    { reason }: McpApprovalDecisionDto,
  ): Promise<object> {
    const { caller } = at;
    return this.writes.run(caller, (write) =>
      patchRow(
        write,
        MCP_APPROVAL,
        at,
        (row) => {
          assertNotOwnCall(caller, row);
          assertOpen(row, decision);
          row.status = decision === 'approve' ? 'approved' : 'rejected';
          row.reason = reason ?? null;
          row.decidedBy = actorOf(caller);
          row.decidedAt = new Date();
          row.expiresAt = new Date(Date.now() + DECISION_MS);
        },
        decision,
      ),
    );
  }
}

/**
 * Throws `forbidden` for the credential that made the call: an agent that may change servers must
 * not approve its own calls. Its user decides in a session.
 */
function assertNotOwnCall(caller: Principal, row: McpApprovalEntity): void {
  const { userId, apiKeyId } = caller;
  const isOwn =
    (apiKeyId !== null && apiKeyId === row.apiKeyId) || (userId !== null && userId === row.userId);
  if (isLoggedIn(caller) || !isOwn) return;
  throw new GatewayError('forbidden', {
    message: 'A call is not decided with a credential of the user who makes it; log in to decide.',
  });
}

function assertOpen(row: McpApprovalEntity, decision: ApprovalDecision): void {
  const status = statusOf(row);
  if (status === 'pending' || (status === 'approved' && decision === 'reject')) return;
  throw new GatewayError('conflict', {
    message: `The approval is ${status}; the caller must repeat the call to request another one.`,
  });
}

/** Returns conditions for the rows that have the status now. */
function statesOf(status: ApprovalStatus | undefined): FindOptionsWhere<McpApprovalEntity>[] {
  const now = new Date();
  switch (status) {
    case undefined:
      return [{}];
    case 'pending':
    case 'approved':
      return [{ status, expiresAt: MoreThan(now) }];
    case 'expired':
      return [{ status: In(['pending', 'approved']), expiresAt: LessThanOrEqual(now) }];
    case 'rejected':
    case 'used':
      return [{ status }];
  }
}

async function shown(
  manager: EntityManager,
  rows: readonly McpApprovalEntity[],
): Promise<McpApprovalResponse[]> {
  const servers = await manager.find(McpServerEntity, {
    where: { id: In([...new Set(rows.map(({ serverId }) => serverId))]) },
    select: { id: true, slug: true },
  });
  const slugOf = new Map(servers.map(({ id, slug }) => [id, slug]));
  return rows.map((row) => toMcpApproval(row, slugOf.get(row.serverId) ?? ''));
}
