import type { EntityManager } from 'typeorm';

/** A request that this process wants to execute. */
export interface RequestClaim {
  readonly scope: string;
  readonly organisationId: string;
  readonly fingerprint: string;
  /** Random token of the claimant. */
  readonly token: string;
}

export interface KnownRequest {
  readonly fingerprint: string;
  readonly token: string;
  readonly isRunning: boolean;
  readonly sealedResponse: string | null;
}

/** Time for which the first response is replayed. */
const RETENTION = "interval '24 hours'";
/**
 * Duration of a lease: longer than any request may take. Requests of a process that ended stay
 * locked for this time.
 */
const LEASE = "interval '2 minutes'";
/** SQL condition of a row that another request may take over. */
const EXPIRED = `(request.created_at < now() - ${RETENTION} OR (NOT request.is_carried_out AND request.lease_until < now()))`;
/** Maximum number of requests of one organisation; the oldest are evicted. */
const REQUESTS_MAX = 10_000;
/** Maximum bytes of sealed responses of one organisation; the oldest are evicted. */
const BYTES_MAX = 67_108_864;
/** Maximum number of rows that one sweep deletes. */
const SWEEP_MAX = 1_000;

/**
 * Claims the request, or returns its current state. The claim succeeded if `token` of the result is
 * the caller's own: the key was unused, its row was more than 24 hours old, or a process left it
 * without committing its change.
 */
export async function claimRequest(manager: EntityManager, claim: RequestClaim): Promise<KnownRequest> {
  const { scope, organisationId, fingerprint, token } = claim;
  // Reads first, because the upsert would wait for another change under this key that is about to
  // commit.
  const request = await readRequest(manager, scope);
  if (request && !request.isOver) return request;
  await manager.query(
    `INSERT INTO idempotent_requests AS request (scope, organisation_id, fingerprint, token, lease_until)
     VALUES ($1, $2, $3, $4, now() + ${LEASE})
     ON CONFLICT (scope) DO UPDATE SET
       fingerprint = excluded.fingerprint, token = excluded.token, lease_until = excluded.lease_until,
       is_carried_out = false, sealed_response = NULL, created_at = now()
     WHERE ${EXPIRED}`,
    [scope, organisationId, fingerprint, token],
  );
  // Another process may have released it between the two statements.
  return (await readRequest(manager, scope)) ?? claimRequest(manager, claim);
}

async function readRequest(
  manager: EntityManager,
  scope: string,
): Promise<(KnownRequest & { readonly isOver: boolean }) | undefined> {
  const [row] = await manager.query<(KnownRequest & { readonly isOver: boolean })[]>(
    `SELECT fingerprint, token, lease_until > now() AS "isRunning", sealed_response AS "sealedResponse",
       ${EXPIRED} AS "isOver"
     FROM idempotent_requests AS request WHERE scope = $1`,
    [scope],
  );
  return row;
}

/**
 * Marks the request as carried out, in the transaction of its change. Returns false if the claim is
 * lost: another request may have made the change.
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

/**
 * Stores the response and ends the lease; null if the response is too large. Evicts old requests of
 * the organisation above its limits.
 */
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
 * Ends the claim of a request that changed nothing, so that the next request under the key counts
 * as the first. A request that was carried out keeps its row, without a lease.
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

/** Deletes at most 1,000 requests that are more than 24 hours old, and returns their number. */
export async function sweepIdempotentRequests(manager: EntityManager): Promise<number> {
  const [, count] = await manager.query<[unknown, number]>(
    `DELETE FROM idempotent_requests WHERE scope IN (
       SELECT scope FROM idempotent_requests WHERE created_at < now() - ${RETENTION}
       ORDER BY created_at LIMIT ${String(SWEEP_MAX)} FOR UPDATE SKIP LOCKED)`,
  );
  return count;
}

export const idempotentRequestBinding = ({
  scope,
  organisationId,
}: Pick<RequestClaim, 'scope' | 'organisationId'>): string => `idempotent_request:${organisationId}:${scope}`;
