import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

/**
 * A file of inputs with known verdicts, such as `ssrf.json`: from `../shared/data` beside the workspace where there is one, so
 * that newer cases are used without a change, else from the workspace's own `testdata/`.
 */
export function readCases(file: string): unknown {
  const beside = join(ROOT, '../shared/data', file);
  const path = existsSync(beside) ? beside : join(ROOT, 'testdata', file);
  return JSON.parse(readFileSync(path, 'utf8')) as unknown;
}
