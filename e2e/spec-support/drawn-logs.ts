import type { DecisionRecord } from '@gw/contracts';
import { keepLog, queryDatabase, timeFaultsOf } from '@gw/testing';
import { drawingFaultsOf } from '../../apps/console/src/ui/waterfall/spec-support/drawing-faults';
import type { Workbench } from './workbench';

/** Logs of a suite that are drawn, the newest ones; suites of more requests repeat them. */
const LOGS_MAX = 5_000;

interface Row {
  readonly url: string;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  readonly overheadMs: number;
  readonly streamed: boolean;
  readonly outputTokens: number | null;
  /** A record without its stages is the bare form of one that could not be stored. */
  readonly decision: DecisionRecord | Pick<DecisionRecord, 'charges'>;
}

/** Logs of gateways; uploaded ones have the times that their callers say. */
const QUERY = `
  SELECT url, duration_ms AS "durationMs", first_byte_ms AS "firstByteMs", overhead_ms AS "overheadMs",
    streamed, output_tokens AS "outputTokens", decision
  FROM request_logs WHERE gateway_id <> 'api' ORDER BY created_at DESC LIMIT ${String(LOGS_MAX)}`;

/**
 * Draws the waterfall of every log of the running product as the console does. Returns what is
 * wrong with the drawings and with the times of the records; nothing when the database is stopped.
 */
export async function drawnLogFaults(bench: Pick<Workbench, 'product'>): Promise<readonly string[]> {
  const { product } = bench;
  if (product.pidOf('worker') === null || product.pidOf('postgres') === null) return [];
  const rows = await queryDatabase<Row>(bench, QUERY);
  return rows.flatMap((row) => {
    keepLog(row);
    const { decision } = row;
    if (!('stages' in decision)) return [`${row.url}: the record was reduced to its bare form`];
    const timed = { ...row, decision };
    const faults = [...timeFaultsOf(timed), ...drawingFaultsOf(timed)];
    return faults.map((fault) => `${row.url}: ${fault}`);
  });
}
