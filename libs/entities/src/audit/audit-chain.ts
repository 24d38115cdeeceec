import { canonicalJson, storableJson } from '@gw/kernel';
import { createHash } from 'node:crypto';
import { MoreThanOrEqual, type EntityManager } from 'typeorm';
import { AuditChainEntity } from '../identity/audit-chain.entity';
import { AuditLogEntity } from '../identity/audit-log.entity';

/** An audit row that is not in the chain yet. */
export type AuditRow = Omit<AuditLogEntity, 'sequence' | 'previousHash' | 'hash'>;

/** Previous hash of the first row, and hash of the head of an empty chain. */
const GENESIS = '0'.repeat(64);

/** Returns the content of a row by column names, for the chain's hash. */
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
 * Appends rows of one organisation to its chain, all or none of them: in the transaction of the
 * change that they record, or in their own. Writers of one organisation wait for each other from
 * this call to their commit. So call it at the end of a transaction, before `recordChange` only.
 */
export async function appendAudit(manager: EntityManager, rows: readonly AuditRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const { organisationId } = first;
  if (rows.some((row) => row.organisationId !== organisationId))
    throw new Error('All audit rows of one write must belong to one organisation.');
  const entries = storableJson(rows.map(contentOf));
  // Hashes the values as they will be read again: text that cannot be stored unchanged is already
  // replaced here.
  const contents = (JSON.parse(entries) as readonly unknown[]).map(canonicalJson);
  await manager.query('SELECT append_audit($1, $2, $3)', [organisationId, entries, contents]);
}

export interface AuditVerification {
  /** False when a row was changed, removed, inserted or moved. */
  readonly valid: boolean;
  /** Number of rows that were checked, up to the first invalid one. */
  readonly checked: number;
  /** Sequence of the first invalid position; null when all rows are valid. */
  readonly brokenAt: number | null;
  /**
   * Sequence at which the next call continues; null at the end of the chain and after an invalid
   * row.
   */
  readonly next: number | null;
  /** Sequence and hash of the newest row. Store them elsewhere to compare them later. */
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
  // Rows that are written during this check lie beyond the head that was read.
  const end = Math.min(head.sequence + 1, from + limit);
  let position: Position = {
    sequence: from,
    hash: from === 1 ? GENESIS : await hashAt(manager, organisationId, from - 1),
  };
  while (position.sequence < end) {
    const rows = await manager.find(AuditLogEntity, {
      where: { organisationId, sequence: MoreThanOrEqual(String(position.sequence)) },
      order: { sequence: 'ASC' },
      take: Math.min(BATCH, end - position.sequence),
    });
    const reached = follow(rows, position);
    const isBroken = rows.length === 0 || reached.sequence - position.sequence < rows.length;
    position = reached;
    if (isBroken) return brokenAt(position.sequence, from, head);
  }
  const isWhole = position.sequence > head.sequence;
  if (isWhole && position.hash !== head.hash) return brokenAt(head.sequence, from, head);
  const next = isWhole ? null : position.sequence;
  return { valid: true, checked: position.sequence - from, brokenAt: null, next, head };
}

/** Follows the chain through the rows and returns the position after the last valid one. */
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
