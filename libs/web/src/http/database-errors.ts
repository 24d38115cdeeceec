/** SQL states of a database that can't do now what it could do before: PostgreSQL's Appendix A. */
const AWAY_STATES: ReadonlySet<string> = new Set([
  // Read-only: a replica that was not promoted yet, or a full disk.
  '25006',
  // A statement or a lock took longer than it may.
  '57014',
  '55P03',
  // It is being shut down, has crashed, or starts.
  '57P01',
  '57P02',
  '57P03',
  '57P05',
]);
/** Whole classes: connections, resources, the system below. */
const AWAY_CLASSES = /^(?:08|53|58)[0-9A-Z]{3}$/;

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** What the driver says without a code: of connections that ended, and of waits in it and its pool. */
const DRIVER_TEXTS =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Driver not Connected|Cannot use a pool after calling end)/;

const DEPTH_MAX = 4;

/** True when the database, or the way to it, is at fault, and the same request may succeed later. */
export function isDatabaseAway(thrown: unknown, depth = 0): boolean {
  if (!(thrown instanceof Error) || depth > DEPTH_MAX) return false;
  const { code, driverError } = thrown as { code?: unknown; driverError?: unknown };
  if (isAwayCode(code) || DRIVER_TEXTS.test(thrown.message)) return true;
  const below: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [];
  return [driverError, thrown.cause, ...below].some((error) => isDatabaseAway(error, depth + 1));
}

const isAwayCode = (code: unknown): boolean =>
  typeof code === 'string' && (AWAY_STATES.has(code) || NETWORK_CODES.has(code) || AWAY_CLASSES.test(code));
