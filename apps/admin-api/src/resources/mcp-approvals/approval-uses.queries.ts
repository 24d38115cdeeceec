import type { McpApprovalRequest, McpApprovalRound } from '@gw/contracts';
import { McpApprovalEntity } from '@gw/entities';
import { STATE_LIFETIME_MS } from '@gw/mcp';
import { MoreThan, type EntityManager } from 'typeorm';

/** The call that an approval covers. */
export type ApprovedCall = Pick<McpApprovalRequest, 'serverId' | 'tool' | 'principal' | 'argumentsDigest'>;

const THE_CALL = 'server_id = $1 AND tool = $2 AND principal = $3 AND arguments_digest = $4';
const parametersOf = ({ serverId, tool, principal, argumentsDigest }: ApprovedCall): string[] => [
  ...[serverId, tool, principal, argumentsDigest],
];

const USE = `
  UPDATE mcp_approvals SET status = 'used', used_at = now(), last_updated_at = now(), version = version + 1
  WHERE id = (
    SELECT id FROM mcp_approvals
    WHERE ${THE_CALL} AND status = 'approved' AND expires_at > now()
    ORDER BY expires_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id`;

/**
 * Uses an approval of the call and returns its id; null when there is none. Only one of several
 * concurrent requests gets it.
 */
export async function useApproval(manager: EntityManager, call: ApprovedCall): Promise<string | null> {
  const [rows] = await manager.query<[{ readonly id: string }[], number]>(USE, parametersOf(call));
  return rows[0]?.id ?? null;
}

const CONTINUE = `
  UPDATE mcp_approvals SET rounds = rounds + 1, used_at = now()
  WHERE ${THE_CALL} AND id = $5 AND rounds = $6 AND status = 'used'
    AND used_at > now() - make_interval(secs => ${String(STATE_LIFETIME_MS / 1_000)})
  RETURNING rounds`;

/**
 * Continues an approved call with its next round and returns its number; null for a round that was
 * already used, for the approval of another call, and for a call that has waited for input for
 * longer than `STATE_LIFETIME_MS`.
 */
export async function continueApproved(
  manager: EntityManager,
  call: ApprovedCall,
  { id, round }: McpApprovalRound,
): Promise<number | null> {
  const parameters = [...parametersOf(call), id, round];
  const [rows] = await manager.query<[{ readonly rounds: number }[], number]>(CONTINUE, parameters);
  return rows[0]?.rounds ?? null;
}

/**
 * Returns the pending approval of the call, else the newest rejection that is still in force; null
 * when there is neither.
 */
export async function openApproval(
  manager: EntityManager,
  { serverId, tool, principal, argumentsDigest }: ApprovedCall,
): Promise<McpApprovalEntity | null> {
  const call = { serverId, tool, principal, argumentsDigest, expiresAt: MoreThan(new Date()) };
  const find = (status: McpApprovalEntity['status']): Promise<McpApprovalEntity | null> =>
    manager.findOne(McpApprovalEntity, { where: { ...call, status }, order: { createdAt: 'DESC' } });
  return (await find('pending')) ?? find('rejected');
}

/** Returns the number of pending calls in a workspace, and how many of them are of one caller. */
export async function countWaiting(
  manager: EntityManager,
  workspaceId: string,
  principal: string,
): Promise<{ readonly all: number; readonly own: number }> {
  const [row] = await manager.query<{ all: number; own: number }[]>(
    `SELECT count(*)::int AS all, (count(*) FILTER (WHERE principal = $2))::int AS own FROM mcp_approvals
     WHERE workspace_id = $1 AND status = 'pending' AND expires_at > now()`,
    [workspaceId, principal],
  );
  return row ?? { all: 0, own: 0 };
}
