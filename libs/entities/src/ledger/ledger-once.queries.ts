import type { EntityManager } from 'typeorm';

export interface OnceClaim {
  readonly organisationId: string;
  /** Of what is charged. */
  readonly name: string;
  readonly logId: string;
}

/** Gives each name to the log record that claims it first, for good. Returns those of the claims that hold, an earlier run of the same included. */
export async function claimOnce(
  manager: EntityManager,
  claims: readonly OnceClaim[],
): Promise<readonly OnceClaim[]> {
  if (claims.length === 0) return [];
  const sorted = [...claims].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const parameters = [
    sorted.map(({ organisationId }) => organisationId),
    sorted.map(({ name }) => name),
    sorted.map(({ logId }) => logId),
  ];
  const asked = `unnest($1::uuid[], $2::text[], $3::uuid[]) AS asked (organisation_id, name, log_id)`;
  await manager.query(
    `INSERT INTO ledger_once (organisation_id, name, log_id) SELECT * FROM ${asked} ON CONFLICT DO NOTHING`,
    parameters,
  );
  const held: { organisation_id: string; name: string; log_id: string }[] = await manager.query(
    `SELECT known.organisation_id, known.name, known.log_id FROM ${asked}
     JOIN ledger_once AS known USING (organisation_id, name, log_id)`,
    parameters,
  );
  return held.map(({ organisation_id: organisationId, name, log_id: logId }) => ({
    organisationId,
    name,
    logId,
  }));
}

const orderOf = ({ organisationId, name, logId }: OnceClaim): string => `${organisationId} ${name} ${logId}`;
