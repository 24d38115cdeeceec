import { canonicalJson } from '@gw/kernel';
import { createHash } from 'node:crypto';
import { MoreThanOrEqual, type EntityManager } from 'typeorm';
import { AuditChainEntity } from '../identity/audit-chain.entity';
import { AuditLogEntity } from '../identity/audit-log.entity';
import { storableJson } from '../storable';

/** An audit row before it has its place in the chain. */
export type AuditRow = Omit<AuditLogEntity, 'sequence' | 'previousHash' | 'hash'>;

const GENESIS = '0'.repeat(64);

/** Content of a row by the names of its columns, for the chain's hash. */
const contentOf = (row: AuditRow): Readonly<Record<string, unknown>> => ({
  id: row.id,
  created_at: row.createdAt.toISOString(),
  organisation_id: row.organisationId,
  workspace_id: row.workspaceId,
  user_type: row.userType,
  user_id: row.userId,
  action: row.action,
  resource_type: row.resourceType,
  resource_id: row.resourceId,
  before: row.before,
  after: row.after,
  method: row.method,
  uri: row.uri,
  request_id: row.requestId,
  response_status_code: row.responseStatusCode,
  error_type: row.errorType,
  client_ip: row.clientIp,
  user_agent: row.userAgent,
});

const hashOf = (row: AuditRow, sequence: string, previousHash: string): string =>
  createHash('sha256')
    .update(`${previousHash}\n${sequence}\n${canonicalJson(contentOf(row))}`)
    .digest('hex');

/**
 * Appends rows of one organisation to its chain, all or none of them: in the transaction of what
 * they tell of, or by itself. Writers of one organisation wait for one another from here to their
 * commit, so it belongs at the end of a transaction, before `recordChange` alone.
 */
export async function appendAudit(manager: EntityManager, rows: readonly AuditRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const { organisationId } = first;
  if (rows.some((row) => row.organisationId !== organisationId))
    throw new Error('Audit rows of one write are of one tenant.');
  const entries = storableJson(rows.map(contentOf));
  // Hashed as it will be read again: a text that can't be stored as it is was changed on its way.
  const contents = (JSON.parse(entries) as readonly unknown[]).map(canonicalJson);
  await manager.query('SELECT append_audit($1, $2, $3)', [organisationId, entries, contents]);
}

export interface AuditVerification {
  /** False when a row was changed, taken out, put in or moved. */
  readonly valid: boolean;
  /** Rows of this part that were checked, up to the first that is wrong. */
  readonly checked: number;
  /** The sequence of the first place that is wrong; null when all is right. */
  readonly brokenAt: number | null;
  /** Where the next part begins; null when the chain was checked to its end. */
  readonly next: number | null;
  /** Sequence and hash of the head, to be kept elsewhere and compared later. */
  readonly head: { readonly sequence: number; readonly hash: string };
}

const BATCH = 500;

/** Progress of a check: the next sequence, and the hash that its row must follow. */
interface Position {
  readonly sequence: number;
  readonly hash: string | null;
}

/**
 * Checks `limit` rows from the sequence `from` (1: the whole chain from its start) against their
 * hashes, links and head.
 */
export async function verifyAuditChain(
  manager: EntityManager,
  organisationId: string,
  from: number,
  limit: number,
): Promise<AuditVerification> {
  const head = await headOf(manager, organisationId);
  if (from > head.sequence) return { valid: true, checked: 0, brokenAt: null, next: null, head };
  // What is written while this runs lies beyond the head that was read.
  const end = Math.min(head.sequence + 1, from + limit);
  let at: Position = {
    sequence: from,
    hash: from === 1 ? GENESIS : await hashAt(manager, organisationId, from - 1),
  };
  while (at.sequence < end) {
    const rows = await manager.find(AuditLogEntity, {
      where: { organisationId, sequence: MoreThanOrEqual(String(at.sequence)) },
      order: { sequence: 'ASC' },
      take: Math.min(BATCH, end - at.sequence),
    });
    const reached = follow(rows, at);
    const isBroken = rows.length === 0 || reached.sequence - at.sequence < rows.length;
    at = reached;
    if (isBroken) return brokenAt(at.sequence, from, head);
  }
  const isWhole = at.sequence > head.sequence;
  if (isWhole && at.hash !== head.hash) return brokenAt(head.sequence, from, head);
  const next = isWhole ? null : at.sequence;
  return { valid: true, checked: at.sequence - from, brokenAt: null, next, head };
}

/** As far as the rows are one chain from the position on. */
function follow(rows: readonly AuditLogEntity[], from: Position): Position {
  let { sequence, hash } = from;
  for (const row of rows) {
    const isNext = row.sequence === String(sequence) && row.previousHash === hash;
    if (!isNext || row.hash !== hashOf(row, String(sequence), hash ?? '')) break;
    sequence += 1;
    ({ hash } = row);
  }
  return { sequence, hash };
}

const brokenAt = (sequence: number, from: number, head: AuditVerification['head']): AuditVerification => ({
  valid: false,
  checked: sequence - from,
  brokenAt: sequence,
  next: null,
  head,
});

async function headOf(manager: EntityManager, organisationId: string): Promise<AuditVerification['head']> {
  const stored = await manager.findOneBy(AuditChainEntity, { organisationId });
  return { sequence: Number(stored?.sequence ?? 0), hash: stored?.hash ?? GENESIS };
}

async function hashAt(
  manager: EntityManager,
  organisationId: string,
  sequence: number,
): Promise<string | null> {
  const row = await manager.findOneBy(AuditLogEntity, { organisationId, sequence: String(sequence) });
  return row?.hash ?? null;
}
