import { EVERY_DOCUMENT } from '@gw/contracts';
import { seal, sealedPrefix, unseal, type Keyring } from '@gw/kernel';
import type { DataSource, EntityManager } from 'typeorm';
import { recordChange } from '../change-events/record-change';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns';

const BATCH = 100;

export interface ResealResult {
  /** Number of values that were re-encrypted with the current key. */
  readonly resealed: number;
  /** Number of values that no key of the ring decrypts. They stay unchanged. */
  readonly unopenable: number;
}

interface SealedRow {
  readonly key: string;
  readonly id: string;
  readonly organisationId: string;
  readonly sealed: string;
}

/**
 * Re-encrypts all values of earlier keys with the ring's current key. Safe to run repeatedly and
 * concurrently: a value that changes meanwhile is skipped, since its writer uses the current key.
 */
export async function resealEverything(source: DataSource, ring: Keyring): Promise<ResealResult> {
  const total = { resealed: 0, unopenable: 0 };
  for (const column of SEALED_COLUMNS) {
    for (let after: string | null = ''; after !== null;) {
      const rows = await outdatedRows(source.manager, ring, column, after);
      for (const row of rows) total[await resealRow(source.manager, ring, column, row)] += 1;
      after = rows.length < BATCH ? null : (rows.at(-1)?.key ?? null);
    }
  }
  // Documents in other processes contain the credentials in their old encryption.
  if (total.resealed > 0)
    await source.transaction((manager) => recordChange(manager, { changed: [EVERY_DOCUMENT] }));
  return total;
}

/** Returns the number of values that are not encrypted with the current key. */
export async function countOutdated(source: DataSource, ring: Keyring): Promise<number> {
  const counts = SEALED_COLUMNS.map(
    ({ table, column }) =>
      `SELECT count(*) AS n FROM ${table} WHERE ${column} IS NOT NULL AND NOT starts_with(${column}, $1)`,
  );
  const [row] = await source.query<{ n: string }[]>(
    `SELECT sum(n) AS n FROM (${counts.join(' UNION ALL ')}) AS counts`,
    [sealedPrefix(ring)],
  );
  return Number(row?.n ?? 0);
}

const outdatedRows = (
  manager: EntityManager,
  ring: Keyring,
  { table, column, key, id, organisation }: SealedColumn,
  after: string,
): Promise<SealedRow[]> =>
  manager.query(
    `SELECT ${key}::text AS key, ${id}::text AS id, ${organisation ?? 'NULL'}::text AS "organisationId", ${column} AS sealed
     FROM ${table}
     WHERE ${column} IS NOT NULL AND NOT starts_with(${column}, $1) AND ${key}::text > $2
     ORDER BY ${key}::text LIMIT ${String(BATCH)}`,
    [sealedPrefix(ring), after],
  );

async function resealRow(
  manager: EntityManager,
  ring: Keyring,
  { table, column, key, binding }: SealedColumn,
  row: SealedRow,
): Promise<'resealed' | 'unopenable'> {
  const boundTo = binding(row);
  let plain: Buffer;
  try {
    plain = unseal(ring, row.sealed, boundTo);
  } catch {
    return 'unopenable';
  }
  await manager.query(`UPDATE ${table} SET ${column} = $1 WHERE ${key}::text = $2 AND ${column} = $3`, [
    seal(ring, plain, boundTo),
    row.key,
    row.sealed,
  ]);
  return 'resealed';
}
