import type { EntityManager } from 'typeorm';

/** A request that this process carries out. */
export interface RequestClaim {
  readonly scope: string;
  readonly organisationId: string;
  readonly fingerprint: string;
  /** Made up by the claimant and unlike any other. */
  readonly token: string;
}

export interface KnownRequest {
  readonly fingerprint: string;
  readonly token: string;
  readonly isRunning: boolean;
  readonly sealedResponse: string | null;
}

/** How long a first response is replayed. */
const KEPT = "interval '24 hours'";
/** Longer than any request may take; a process that ended holds its requests that long. */
const LEASE = "interval '2 minutes'";
/** SQL of a row that the next request may take over. */
const OVER = `(known.created_at < now() - ${KEPT} OR (NOT known.is_carried_out AND known.lease_until < now()))`;
/** Maximum number of requests of one organisation; the oldest are evicted. */
const REQUESTS_MAX = 10_000;
/** Maximum bytes of sealed responses of one organisation; the oldest are evicted. */
const BYTES_MAX = 67_108_864;
/** Rows that one sweep deletes at a time. */
const SWEEP_MAX = 1_000;

/**
 * Claims the request, or gives what is known of it. The row is the caller's when `token` is its
 * own: nothing is known, or it is over 24 hours old, or it was left by a process that ended before
 * its change was committed.
 */
export async function claimRequest(manager: EntityManager, claim: RequestClaim): Promise<KnownRequest> {
  const { scope, organisationId, fingerprint, token } = claim;
  // Read first: the upsert would wait for a change under the same key that is about to be
  // committed.
  const known = await readRequest(manager, scope);
  if (known && !known.isOver) return known;
  await manager.query(
    `INSERT INTO idempotent_requests AS known (scope, organisation_id, fingerprint, token, lease_until)
     VALUES ($1, $2, $3, $4, now() + ${LEASE})
     ON CONFLICT (scope) DO UPDATE SET
       fingerprint = excluded.fingerprint, token = excluded.token, lease_until = excluded.lease_until,
       is_carried_out = false, sealed_response = NULL, created_at = now()
     WHERE ${OVER}`,
    [scope, organisationId, fingerprint, token],
  );
  // It may have been given back between the two statements.
  return (await readRequest(manager, scope)) ?? claimRequest(manager, claim);
}

async function readRequest(
  manager: EntityManager,
  scope: string,
): Promise<(KnownRequest & { readonly isOver: boolean }) | undefined> {
  const [row] = await manager.query<(KnownRequest & { readonly isOver: boolean })[]>(
    `SELECT fingerprint, token, lease_until > now() AS "isRunning", sealed_response AS "sealedResponse",
       ${OVER} AS "isOver"
     FROM idempotent_requests AS known WHERE scope = $1`,
    [scope],
  );
  return row;
}

/**
 * In the transaction of the change. False: the claim is lost, and another request may have made the
 * change.
 */
export async function markCarriedOut(
  manager: EntityManager,
  { scope, token }: RequestClaim,
): Promise<boolean> {
  const [, count] = await manager.query<[unknown, number]>(
    'UPDATE idempotent_requests SET is_carried_out = true WHERE scope = $1 AND token = $2',
    [scope, token],
  );
  return count === 1;
}

/** Keeps the response; null: it is too large. Ends the lease. */
export async function keepResponse(
  manager: EntityManager,
  { scope, organisationId, token }: RequestClaim,
  sealedResponse: string | null,
): Promise<void> {
  await manager.query(
    `UPDATE idempotent_requests SET is_carried_out = true, sealed_response = $3, lease_until = now()
     WHERE scope = $1 AND token = $2`,
    [scope, token, sealedResponse],
  );
  await manager.query(
    `DELETE FROM idempotent_requests WHERE scope IN (
       SELECT scope FROM (
         SELECT scope, row_number() OVER newest AS place,
           sum(coalesce(octet_length(sealed_response), 0)) OVER newest AS bytes
         FROM idempotent_requests WHERE organisation_id = $1
         WINDOW newest AS (ORDER BY created_at DESC, scope)
       ) AS ranked WHERE place > ${String(REQUESTS_MAX)} OR bytes > ${String(BYTES_MAX)})`,
    [organisationId],
  );
}

/**
 * Nothing was changed: the next request under the key is the first again. Keeps what was carried
 * out, without its lease.
 */
export async function releaseRequest(manager: EntityManager, { scope, token }: RequestClaim): Promise<void> {
  await manager.query(
    'DELETE FROM idempotent_requests WHERE scope = $1 AND token = $2 AND NOT is_carried_out',
    [scope, token],
  );
  await manager.query('UPDATE idempotent_requests SET lease_until = now() WHERE scope = $1 AND token = $2', [
    scope,
    token,
  ]);
}

/** Deletes requests over 24 hours old, and gives how many; at most 1,000 at once. */
export async function sweepIdempotentRequests(manager: EntityManager): Promise<number> {
  const [, count] = await manager.query<[unknown, number]>(
    `DELETE FROM idempotent_requests WHERE scope IN (
       SELECT scope FROM idempotent_requests WHERE created_at < now() - ${KEPT}
       ORDER BY created_at LIMIT ${String(SWEEP_MAX)} FOR UPDATE SKIP LOCKED)`,
  );
  return count;
}

export const idempotentRequestBinding = ({
  scope,
  organisationId,
}: Pick<RequestClaim, 'scope' | 'organisationId'>): string => `idempotent_request:${organisationId}:${scope}`;
