import { completeLogRecord, type LogRecord } from '@gw/contracts';
import { requestLogRow, type LogEntry } from '@gw/entities';
import { redactBody, type Frame } from '@gw/telemetry';
import { UUID } from '@gw/web';
import { chargesAlone } from './log-quarantine';

export type ReadFrame =
  /** `isSkewed`: its time can't be right, and is to be replaced (`withTime`) before it is stored. */
  | { readonly kind: 'entry'; readonly entry: LogEntry; readonly isSkewed: boolean }
  | { readonly kind: 'refused'; readonly id: string | null; readonly reason: string };

/** Turns one journal frame into the rows it becomes. Only what would keep the record from being found again refuses it. */
export function readFrame(frame: Frame, accepts: (createdAt: Date) => boolean): ReadFrame {
  const record = parsed(frame.meta);
  if (!record) return { kind: 'refused', id: null, reason: 'The metadata is not a JSON object.' };
  const { id, createdAt } = record;
  if (typeof id !== 'string' || !UUID.test(id))
    return { kind: 'refused', id: null, reason: 'The id is not a UUID.' };
  const time = new Date(typeof createdAt === 'string' ? createdAt : NaN);
  if (Number.isNaN(time.getTime())) return { kind: 'refused', id, reason: 'The time is no time.' };
  const row = requestLogRow({
    ...completeLogRecord(record),
    requestBodyTruncated: record.requestBodyTruncated === true || frame.requestOmitted,
    responseBodyTruncated: record.responseBodyTruncated === true || frame.responseOmitted,
  });
  const amends = record.amends === true && ({ amends: true } as const);
  const bodies = { request: kept(frame.request), response: kept(frame.response) };
  return { kind: 'entry', isSkewed: !accepts(time), entry: { row, ...bodies, ...amends } };
}

/** The entry under the time of its arrival; its decision keeps the time that its gateway gave. */
export function withTime(entry: LogEntry, createdAt: string): LogEntry {
  const { row } = entry;
  const decision = { ...row.decision, clockSkewed: { createdAt: row.created_at } };
  return { ...entry, row: { ...row, created_at: createdAt, decision } };
}

/** The frame of the same record without its bodies, metadata and decision but for its charges: what a record that can't be read whole still counts by. */
export function bareFrame(frame: Frame): Frame {
  const record = parsed(frame.meta);
  const bare = { ...record, metadata: {}, decision: chargesAlone(record?.decision) };
  return {
    meta: Buffer.from(JSON.stringify(bare)),
    ...{ request: null, response: null, requestOmitted: true, responseOmitted: true },
  };
}

/** Callers write credentials into prompts, and tools answer with them: neither is kept. */
const kept = (body: Buffer | null): Buffer | null => (body === null ? null : redactBody(body));

function parsed(meta: Buffer): Partial<LogRecord> | null {
  try {
    const value: unknown = JSON.parse(meta.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
