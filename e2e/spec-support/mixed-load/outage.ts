import { readFileSync } from 'node:fs';
import { setInterval } from 'node:timers';
import { eventually } from '@gw/testing';
import type { FleetProcess } from '../fleet';
import type { Workbench } from '../workbench';
import type { MixedLoad } from './mixed-load';

export interface Outage {
  /**
   * Milliseconds from the start of Postgres until every gateway has at most one batch left to ship,
   * under load.
   */
  readonly drainedMs: number;
  /** The largest backlog of a gateway's journal, in bytes. */
  readonly backlogBytes: number;
  /** Resident memory of each gateway in bytes, read once a second during the outage. */
  readonly residentBytes: readonly (readonly number[])[];
}

/** Size of one batch. */
const BATCH_BYTES = 1_048_576;
const SAMPLE_MS = 1_000;
/** Shorter than the test's timeout, so that a failure shows the remaining backlog. */
const DRAIN_PATIENCE = { timeoutMs: 300_000, everyMs: 200 };

/** Stops Postgres for `awayMs` under load, and starts it again. */
export async function withoutPostgres(
  bench: Workbench,
  load: MixedLoad,
  gateways: readonly FleetProcess[],
  { awayMs, perSecond }: { readonly awayMs: number; readonly perSecond: number },
): Promise<Outage> {
  let ended = false;
  const working = load.run(() => ended, perSecond);
  const staying = async (): Promise<Outage> => {
    await bench.product.stopProcess('postgres');
    const until = performance.now() + awayMs;
    const residentBytes = gateways.map((): number[] => []);
    const sampling = setInterval(() => {
      for (const [at, { pid }] of gateways.entries())
        if (pid !== null) residentBytes[at]?.push(residentOf(pid));
    }, SAMPLE_MS);
    await eventually(() => performance.now() >= until, { timeoutMs: 2 * awayMs + 60_000, everyMs: 100 });
    clearInterval(sampling);
    const backlogBytes = Math.max(...(await Promise.all(gateways.map(backlogOf))));
    const from = performance.now();
    await bench.product.startStopped();
    await eventually(async () => {
      const backlogs = await Promise.all(gateways.map(backlogOf));
      return backlogs.every((bytes) => bytes <= BATCH_BYTES);
    }, DRAIN_PATIENCE).catch((error: unknown) => {
      throw new Error(`The journals were not drained:\n${bench.product.printed}`, { cause: error });
    });
    return { drainedMs: performance.now() - from, backlogBytes, residentBytes };
  };
  const [outage] = await Promise.all([staying().finally(() => (ended = true)), working]);
  return outage;
}

/** Bytes of log records that no worker has stored. */
export const backlogOf = (gateway: FleetProcess): Promise<number> =>
  gateway.figure('journal', 'backlog_bytes');

/** Reads /proc, so it works only on Linux. */
const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1] ?? NaN) * 1_024;
