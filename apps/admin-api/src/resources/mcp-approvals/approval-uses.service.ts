import type { McpApprovalRequest, McpApprovalResponse } from '@gw/contracts';
import { McpApprovalEntity, McpServerEntity } from '@gw/entities';
import { DAY_MS, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { continueApproved, countWaiting, openApproval, useApproval } from './approval-uses.queries';

/** How long a call waits for a decision, in milliseconds. */
const WAIT_MS = DAY_MS;
/**
 * Maximum number of pending calls. A further call is refused until a person has decided some of
 * them, or some have expired.
 */
const WAITING_MAX = { workspace: 500, caller: 20 };

const NOTHING: McpApprovalResponse = {
  ...{ outcome: 'missing', id: null, round: 0, expiresAt: null, reason: null },
};

/** Uses approvals of calls for gateways, and stores the calls that wait for one. */
@Injectable()
export class ApprovalUses {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns whether a call may be made now. An approval is valid for one call, and once for each of
   * the call's rounds of input. Without an approval, the call waits for the decision of a person.
   */
  async use(request: McpApprovalRequest): Promise<McpApprovalResponse> {
    const { manager } = this.dataSource;
    const server = await manager.findOneBy(McpServerEntity, { id: request.serverId, status: 'active' });
    if (server === null) return NOTHING;
    const { continues } = request;
    const round = continues === null ? null : await continueApproved(manager, request, continues);
    if (continues !== null && round !== null)
      return { ...NOTHING, outcome: 'approved', id: continues.id, round };
    const id = await useApproval(manager, request);
    if (id !== null) return { ...NOTHING, outcome: 'approved', id };
    const open = await openApproval(manager, request);
    if (open !== null) return openResponse(open);
    return this.dataSource.transaction((inside) => wait(inside, server, request));
  }
}

/**
 * Stores a call that waits for a decision. A lock serialises the calls of one workspace, so that
 * the maximum holds.
 */
async function wait(
  manager: EntityManager,
  { organisationId, workspaceId }: McpServerEntity,
  request: McpApprovalRequest,
): Promise<McpApprovalResponse> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`mcp_approvals:${workspaceId}`]);
  const open = await openApproval(manager, request);
  if (open !== null) return openResponse(open);
  const { serverId, tool, principal, argumentsDigest, argumentsJson, caller } = request;
  const { all, own } = await countWaiting(manager, workspaceId, principal);
  if (all >= WAITING_MAX.workspace || own >= WAITING_MAX.caller) return { ...NOTHING, outcome: 'too_many' };
  const row = manager.create(McpApprovalEntity, {
    ...{ id: uuidv7(), organisationId, workspaceId, serverId, tool, principal, argumentsDigest },
    ...{ argumentsJson, ...caller, status: 'pending', expiresAt: new Date(Date.now() + WAIT_MS) },
  });
  await manager.insert(McpApprovalEntity, row);
  return openResponse(row);
}

const openResponse = ({ id, status, expiresAt, reason }: McpApprovalEntity): McpApprovalResponse => ({
  ...{ outcome: status === 'rejected' ? 'rejected' : 'pending', id, round: 0 },
  ...{ expiresAt: expiresAt.toISOString(), reason: reason ?? null },
});
