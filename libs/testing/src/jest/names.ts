/** A Postgres server for tests. Given by the caller, or set to an embedded one for the time of a run. */
export const TEST_DATABASE_URL = 'TEST_DATABASE_URL';
/** Part of every database name of one run, so that runs can share a server. */
export const TEST_DATABASE_RUN = 'TEST_DATABASE_RUN';
