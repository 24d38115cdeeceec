import { UUID } from '@gw/kernel';
import { completeLogRecord, type LogRecord } from '@gw/contracts';
import { requestLogRow, type LogEntry } from '@gw/log-store';
import { redactBody, type Frame } from '@gw/telemetry';
import { bareRecord, recordId } from './bare-record';

export interface ReadRecord {
  readonly entry: LogEntry;
  /** Its time can't be right, and is to be replaced (`withTime`) before it is stored. */
  readonly isSkewed: boolean;
}

type Accepts = (createdAt: Date) => boolean;

/** Turns one journal frame into the rows it becomes. Throws when it can't be read, as its message says. */
export function readFrame(frame: Frame, accepts: Accepts): ReadRecord {
  const record = parsedMeta(frame.meta);
  if (!record) throw new SyntaxError('The metadata is not a JSON object.');
  const { id, createdAt } = record;
  if (typeof id !== 'string' || !UUID.test(id))
    throw new TypeError('The id is not a UUID; the record is stored under another one.');
  const time = timeOf(createdAt);
  if (time === null) throw new TypeError('The time is no time.');
  const row = requestLogRow({
    ...completeLogRecord(record),
    requestBodyTruncated: record.requestBodyTruncated === true || frame.requestOmitted,
    responseBodyTruncated: record.responseBodyTruncated === true || frame.responseOmitted,
  });
  const amends = record.amends === true && ({ amends: true } as const);
  const bodies = { request: kept(frame.request), response: kept(frame.response) };
  return { isSkewed: !accepts(time), entry: { row, ...bodies, ...amends } };
}

/**
 * The same record as something that can always be stored: without its bodies, metadata and decision but for its charges. Null: it is no
 * JSON object, so that nothing of it can be.
 */
export function readBare(frame: Frame, accepts: Accepts): ReadRecord | null {
  const record = parsedMeta(frame.meta);
  if (!record) return null;
  const time = timeOf(record.createdAt);
  const createdAt = (time ?? new Date()).toISOString();
  const row = requestLogRow(bareRecord({ ...record }, recordId(frame.meta, record), createdAt));
  const amends = record.amends === true && ({ amends: true } as const);
  return {
    isSkewed: time === null || !accepts(time),
    entry: { row, request: null, response: null, ...amends },
  };
}

/** The entry under the time of its arrival; its decision keeps the time that its gateway gave. */
export function withTime(entry: LogEntry, createdAt: string): LogEntry {
  const { row } = entry;
  const decision = { ...row.decision, clockSkewed: { createdAt: row.created_at } };
  return { ...entry, row: { ...row, created_at: createdAt, decision } };
}

/** Null: it is no JSON object. */
export function parsedMeta(meta: Buffer): Partial<LogRecord> | null {
  try {
    const value: unknown = JSON.parse(meta.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function timeOf(createdAt: unknown): Date | null {
  const time = new Date(typeof createdAt === 'string' ? createdAt : NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Callers write credentials into prompts, and tools answer with them: neither is kept. */
const kept = (body: Buffer | null): Buffer | null => (body === null ? null : redactBody(body));
