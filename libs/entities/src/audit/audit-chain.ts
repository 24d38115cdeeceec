import { createHash } from 'node:crypto';
import { MoreThanOrEqual, type EntityManager } from 'typeorm';
import { AuditChainEntity } from '../identity/audit-chain.entity';
import { AuditLogEntity } from '../identity/audit-log.entity';

/** An audit row before it has its place in the chain. */
export type AuditRow = Omit<AuditLogEntity, 'sequence' | 'previousHash' | 'hash'>;

const GENESIS = '0'.repeat(64);
/** Rows of one statement: a row has 21 values, and Postgres takes 65,535 of them at once. */
const ROWS_MAX = 1_000;

/** JSON with the keys of every object in order, as jsonb forgets the order in which they were written. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`);
  return `{${members.join(',')}}`;
}

function hashOf(row: AuditRow, sequence: string, previousHash: string): string {
  const content = canonical({
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
  return createHash('sha256').update(`${previousHash}\n${sequence}\n${content}`).digest('hex');
}

/**
 * Appends rows of one organisation to its chain, in the transaction of what they tell of. Writers of one organisation wait for
 * one another from here to their commit, so it belongs at the end of the transaction, before `recordChange` alone.
 */
export async function appendAudit(manager: EntityManager, rows: readonly AuditRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  if (!manager.queryRunner?.isTransactionActive) {
    throw new Error('Audit rows are written only inside a transaction.');
  }
  const { organisationId } = first;
  const head = await lockHead(manager, organisationId);
  let sequence = BigInt(head.sequence);
  let { hash } = head;
  const linked = rows.map((row) => {
    if (row.organisationId !== organisationId) throw new Error('Audit rows of one write are of one tenant.');
    sequence += 1n;
    const previousHash = hash;
    hash = hashOf(row, sequence.toString(), previousHash);
    return { ...row, sequence: sequence.toString(), previousHash, hash };
  });
  for (let at = 0; at < linked.length; at += ROWS_MAX) {
    await manager.insert(AuditLogEntity, linked.slice(at, at + ROWS_MAX));
  }
  await manager.update(AuditChainEntity, { organisationId }, { sequence: sequence.toString(), hash });
}

/** The end of the chain, locked; begins one for an organisation that has none. */
async function lockHead(manager: EntityManager, organisationId: string): Promise<AuditChainEntity> {
  const asked = { where: { organisationId }, lock: { mode: 'pessimistic_write' } } as const;
  const known = await manager.findOne(AuditChainEntity, asked);
  if (known) return known;
  await manager.query(
    `INSERT INTO audit_chains (organisation_id, sequence, hash) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING`,
    [organisationId, GENESIS],
  );
  return manager.findOneOrFail(AuditChainEntity, asked);
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

/** Where a check stands: the next sequence, and the hash that its row must follow. */
interface Position {
  readonly sequence: number;
  readonly hash: string | null;
}

/** Checks `limit` rows from the sequence `from` (1: the whole chain from its start) against their hashes, links and head. */
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
