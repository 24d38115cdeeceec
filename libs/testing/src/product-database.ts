import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { Product } from './product';

/**
 * Returns the environment of a running process without the variables that tie it to the launcher.
 */
export function environmentOf(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${String(pid)}/environ`, 'utf8')
    .split('\0')
    .filter(Boolean);
  const environment = Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
  delete environment['NODE_CHANNEL_FD'];
  delete environment['NODE_CHANNEL_SERIALIZATION_MODE'];
  return environment;
}

/** Runs a query in the database of a running product and returns its rows. */
export async function queryDatabase<T extends object>(
  { product }: { readonly product: Product },
  sql: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  const { DATABASE_URL } = environmentOf(product.pidOf('worker') ?? 0);
  const client = new Client({ connectionString: DATABASE_URL });
  await client.connect();
  try {
    return (await client.query<T>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
