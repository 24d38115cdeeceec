import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProductOptions } from '@gw/testing';

/** Settings of the first start; a suite with one of them needs its own database. */
const OF_FIRST_START = /^(?:OWNER_|SANDBOX_|ENCRYPTION_|CREDENTIALS_|DATABASE_|API_KEY_PREFIX|.*_API_KEY$)/;

/**
 * Returns a copy of the data folder that the run has prepared (`tools/prepared-product.cjs`);
 * undefined if the suite has its own folder or settings of the first start.
 */
export function preparedData({ dataDir, environment = {} }: ProductOptions): string | undefined {
  const prepared = process.env['TOLLGATE_TEST_PREPARED_DATA'];
  const isFresh = Object.keys(environment).some((name) => OF_FIRST_START.test(name));
  if (!prepared || dataDir !== undefined || isFresh) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-product-'));
  // Postgres requires its own owner and modes, which Node.js does not copy.
  execFileSync('cp', ['-a', `${prepared}/.`, folder]);
  return folder;
}
