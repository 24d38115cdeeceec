import type { LedgerTotals } from './mixed-ledgers';
import type { Outage } from './outage';

const MIB = 1_048_576;
const ROW = [10, 10, 10, 10, 22] as const;

const line = (cells: readonly (string | number)[]): string =>
  cells.map((cell, at) => String(cell).padStart(ROW[at] ?? 22)).join('');

/** Returns the results of a run as a table. */
export function bookTable({ rows, balances, lost, double, different }: LedgerTotals): string {
  return [
    line(['seen', 'clients', 'provider', 'log', 'charged (1e-8 USD)']),
    ...rows.map(({ seen, clients, sold, records, charged }) => line([seen, clients, sold, records, charged])),
    '',
    ...balances.map(
      ({ key, logged, recorded, counted }) =>
        `${key.padEnd(20)} log ${String(logged)}, durable record ${String(recorded)}, counter ${String(counted)}`,
    ),
    `lost ${String(lost.length)}, double ${String(double.length)}, different ${String(different.length)}`,
    ...[...lost, ...double, ...different].slice(0, 20),
  ].join('\n');
}

/**
 * Means of the first and the last minute of an outage, or of its first and last third if it is
 * shorter; in bytes.
 */
export function memoryOf({
  residentBytes,
}: Outage): readonly { readonly first: number; readonly last: number }[] {
  return residentBytes.map((readings) => {
    const count = Math.max(1, Math.min(60, Math.floor(readings.length / 3)));
    return { first: meanOf(readings.slice(0, count)), last: meanOf(readings.slice(-count)) };
  });
}

export function outageTable(outage: Outage): string {
  const mib = (bytes: number): string => (bytes / MIB).toFixed(1);
  return [
    ...memoryOf(outage).map(
      ({ first, last }, at) =>
        `gateway ${String(at + 1)}: ${mib(first)} MiB in the first minute, ${mib(last)} in the last`,
    ),
    `largest backlog ${mib(outage.backlogBytes)} MiB, drained ${(outage.drainedMs / 1_000).toFixed(1)} s after the start of Postgres`,
  ].join('\n');
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
