/** SQL states of a database that is temporarily unable to do its work (PostgreSQL, Appendix A). */
const AWAY_STATES: ReadonlySet<string> = new Set([
  // Read-only: a replica that is not promoted yet, or a full disk.
  '25006',
  // A statement or a lock exceeded its timeout.
  '57014',
  '55P03',
  // The server is shutting down, has crashed, or is starting.
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  // Postgres undid the transaction because of another one: a serialisation failure or a deadlock.
  '40001',
  '40P01',
]);
/**
 * Whole SQLSTATE classes: connections, resources, operating system. A protocol violation (08P01) is
 * a fault of the statement, such as too many parameters, so the same request fails each time.
 */
const AWAY_CLASSES = /^(?:08(?!P01)|53|58)[0-9A-Z]{3}$/;

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

/**
 * Error messages of the driver without a code: ended connections, and timeouts of the driver and
 * its pool.
 */
const DRIVER_TEXTS =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Driver not Connected|Cannot use a pool after calling end)/;

const DEPTH_MAX = 4;

/**
 * Whether the database or the connection to it is at fault, so that the same request may succeed
 * later.
 */
export function isDatabaseAway(thrown: unknown, depth = 0): boolean {
  if (!(thrown instanceof Error) || depth > DEPTH_MAX) return false;
  const { code, driverError } = thrown as { code?: unknown; driverError?: unknown };
  if (isAwayCode(code) || DRIVER_TEXTS.test(thrown.message)) return true;
  const below: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [];
  return [driverError, thrown.cause, ...below].some((error) => isDatabaseAway(error, depth + 1));
}

const isAwayCode = (code: unknown): boolean =>
  typeof code === 'string' && (AWAY_STATES.has(code) || NETWORK_CODES.has(code) || AWAY_CLASSES.test(code));
