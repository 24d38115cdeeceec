import { existsSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { LogRecord } from '@gw/contracts';
import { readSealedFile, type Journal, type Sealer } from '@gw/journal';
import { recordOfLine } from './begun-record';

const NAME = /^in-flight-(\d{6,})\.log$/;
/** File of older versions, which wrote requests longer than a second once a second and unsealed. */
const LEGACY_NAME = 'under-way.jsonl';

export const inFlightPath = (directory: string, number: number): string =>
  join(directory, `in-flight-${String(number).padStart(6, '0')}.log`);

export const nextInFlightNumber = (directory: string): number => (numbersIn(directory).at(-1) ?? 0) + 1;

/**
 * Appends the records of requests that an earlier process left in flight to the journal, and
 * returns their number. They follow the records that the process appended itself, and the store
 * keeps the first record of an id, so none counts twice even if a start is killed before the files
 * are deleted. The files stay if the journal cannot accept the records.
 */
export function recoverInFlight(directory: string, journal: Journal, sealer: Sealer): number {
  const lost = new Map<string, LogRecord>();
  const files: string[] = [];
  for (const number of numbersIn(directory)) {
    const path = inFlightPath(directory, number);
    const pieces = readSealedFile(path, sealer);
    if (pieces === null) continue;
    files.push(path);
    for (const line of pieces.join('').split('\n')) apply(line, lost);
  }
  const legacy = join(directory, LEGACY_NAME);
  if (existsSync(legacy)) {
    files.push(legacy);
    for (const line of readFileSync(legacy, 'utf8').split('\n')) apply(line, lost);
  }
  let isTaken = true;
  for (const record of lost.values())
    isTaken = journal.append(JSON.stringify(record), null, null, NOTHING) && isTaken;
  journal.flush();
  if (isTaken) for (const path of files) unlinkSync(path);
  return lost.size;
}

/** The newest line about a request is valid; a line that ends the request removes it. */
function apply(line: string, lost: Map<string, LogRecord>): void {
  if (line.startsWith('-')) {
    lost.delete(line.slice(1));
    return;
  }
  const record = recordOfLine(line);
  if (record !== null) lost.set(record.id, record);
}

const numbersIn = (directory: string): number[] =>
  readdirSync(directory)
    .map((name) => Number(NAME.exec(name)?.[1] ?? NaN))
    .filter((number) => !Number.isNaN(number))
    .sort((a, b) => a - b);

const NOTHING = (): void => undefined;
