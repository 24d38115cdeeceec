import type { Frame } from '@gw/journal';
import { UUID } from '@gw/kernel';
import { completeLogRecord, type LogRecord } from '@gw/contracts';
import { requestLogRow, type LogEntry } from '@gw/log-store';
import { redactBody } from '@gw/telemetry';
import { bareRecord, recordId } from './bare-record';

export interface ReadRecord {
  readonly entry: LogEntry;
  /** Whether the time is implausible and `withTime` must replace it before the record is stored. */
  readonly isSkewed: boolean;
}

type Accepts = (createdAt: Date) => boolean;

/**
 * Parses one journal frame into the rows to store. Throws an error that names the problem if the
 * frame is unreadable.
 */
export function readFrame(frame: Frame, accepts: Accepts): ReadRecord {
  const record = parsedMeta(frame.meta);
  if (!record) throw new SyntaxError('The metadata is not a JSON object.');
  const { id, createdAt } = record;
  if (typeof id !== 'string' || !UUID.test(id))
    throw new TypeError('The id is not a UUID; the record is stored under a generated id.');
  const time = timeOf(createdAt);
  if (time === null) throw new TypeError('The time is not a valid time.');
  const row = requestLogRow({
    ...completeLogRecord(record),
    requestBodyTruncated: record.requestBodyTruncated === true || frame.requestOmitted,
    responseBodyTruncated: record.responseBodyTruncated === true || frame.responseOmitted,
  });
  const amends = record.amends === true && ({ amends: true } as const);
  const bodies = { request: redactedBody(frame.request), response: redactedBody(frame.response) };
  return { isSkewed: !accepts(time), entry: { row, ...bodies, ...amends } };
}

/**
 * Returns the record in a form that can always be stored: without bodies and metadata, and with
 * only the charges of its decision. Null if the frame is not a JSON object.
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

/** Returns the entry under its time of arrival; its decision keeps the gateway's time. */
export function withTime(entry: LogEntry, createdAt: string): LogEntry {
  const { row } = entry;
  const decision = { ...row.decision, clockSkewed: { createdAt: row.created_at } };
  return { ...entry, row: { ...row, created_at: createdAt, decision } };
}

/** Returns the parsed object, or null if the text is not a JSON object. */
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

/** Redacts credentials in a body: callers write them into prompts, and tools return them. */
const redactedBody = (body: Buffer | null): Buffer | null => (body === null ? null : redactBody(body));
