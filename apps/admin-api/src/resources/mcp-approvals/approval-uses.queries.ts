import type { McpApprovalRequest, McpApprovalRound } from '@gw/contracts';
import { McpApprovalEntity } from '@gw/entities';
import { MoreThan, type EntityManager } from 'typeorm';

/** Which call an approval is for. */
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

/** Uses an approval of the call. Returns its id; null without one. Of requests at the same time, one gets it. */
export async function useApproval(manager: EntityManager, call: ApprovedCall): Promise<string | null> {
  const [rows] = await manager.query<[{ readonly id: string }[], number]>(USE, parametersOf(call));
  return rows[0]?.id ?? null;
}

/** As long as the gateway's state of a call that waits for input. */
const ROUND_LIFETIME = `interval '15 minutes'`;

const CONTINUE = `
  UPDATE mcp_approvals SET rounds = rounds + 1, used_at = now()
  WHERE ${THE_CALL} AND id = $5 AND rounds = $6 AND status = 'used' AND used_at > now() - ${ROUND_LIFETIME}
  RETURNING rounds`;

/** Continues an approved call with its next round. Returns the round; null for one that was taken before. */
export async function continueApproved(
  manager: EntityManager,
  call: ApprovedCall,
  { id, round }: McpApprovalRound,
): Promise<number | null> {
  const parameters = [...parametersOf(call), id, round];
  const [rows] = await manager.query<[{ readonly rounds: number }[], number]>(CONTINUE, parameters);
  return rows[0]?.rounds ?? null;
}

/** The approval of the call that waits, or else the newest that was rejected and still holds; null without one. */
export async function openApproval(
  manager: EntityManager,
  { serverId, tool, principal, argumentsDigest }: ApprovedCall,
): Promise<McpApprovalEntity | null> {
  const call = { serverId, tool, principal, argumentsDigest, expiresAt: MoreThan(new Date()) };
  const find = (status: McpApprovalEntity['status']): Promise<McpApprovalEntity | null> =>
    manager.findOne(McpApprovalEntity, { where: { ...call, status }, order: { createdAt: 'DESC' } });
  return (await find('pending')) ?? find('rejected');
}

/** Counts the calls that wait in a workspace, and those of one caller among them. */
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
