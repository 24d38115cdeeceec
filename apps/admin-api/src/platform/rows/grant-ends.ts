import { documentKey } from '@gw/contracts';
import type { Write } from '../unit-of-work/writes';

/**
 * Ends all grants of servers, toolsets or agents that this transaction has archived, so that a new
 * one at the same address does not inherit them.
 */
export const endGrantsOfTargets = (write: Write, targetIds: readonly string[]): Promise<void> =>
  endGrantsWhere(write, 'target_id = ANY($1::uuid[])', [targetIds]);

/**
 * Ends grants in a few statements. The audit log contains the change that ends them, not each
 * grant.
 */
export async function endGrantsWhere(write: Write, where: string, values: readonly unknown[]): Promise<void> {
  const { manager } = write;
  const grants = await manager.query<{ readonly id: string }[]>(
    `SELECT id FROM oauth_consents WHERE ${where} ORDER BY id FOR UPDATE`,
    [...values],
  );
  const ids = grants.map(({ id }) => id);
  if (ids.length === 0) return;
  const tokens = await manager.query<{ readonly id_hash: string }[]>(
    `SELECT id_hash FROM oauth_artifacts WHERE grant_id = ANY($1) AND model = 'AccessToken' AND expires_at > now()`,
    [ids],
  );
  for (const { id_hash: hash } of tokens) write.removed(documentKey.accessToken(hash));
  for (const id of ids) write.removed(documentKey.oauthGrant(id));
  await manager.query(`DELETE FROM oauth_consents WHERE id = ANY($1)`, [ids]);
}
