/**
 * URL of the Postgres server for tests: set by the caller, or an embedded one that is started for
 * the run.
 */
export const TEST_DATABASE_URL = 'TEST_DATABASE_URL';
/** Part of every database name of one run, so that runs can share a server. */
export const TEST_DATABASE_RUN = 'TEST_DATABASE_RUN';
