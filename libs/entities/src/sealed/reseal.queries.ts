import { EVERY_DOCUMENT } from '@gw/contracts';
import { seal, sealedPrefix, unseal, type Keyring } from '@gw/kernel';
import type { DataSource, EntityManager } from 'typeorm';
import { recordChange } from '../change-events/record-change';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns';

const BATCH = 100;

export interface ResealResult {
  /** Values that are now sealed by the current key and were not. */
  readonly resealed: number;
  /** Values that no key of the ring opens. They stay as they are. */
  readonly unopenable: number;
}

interface SealedRow {
  readonly key: string;
  readonly id: string;
  readonly organisationId: string;
  readonly sealed: string;
}

/**
 * Seals everything by the ring's current key that an earlier one has sealed. Safe to run twice and
 * in several processes: a value that changes meanwhile is left to its writer, which seals by the
 * current key.
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
  // Documents that other processes keep carry the credentials as they were sealed before.
  if (total.resealed > 0)
    await source.transaction((manager) => recordChange(manager, { changed: [EVERY_DOCUMENT] }));
  return total;
}

/** Values that are not sealed by the current key yet. */
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
