import { QueryFailedError } from 'typeorm';

/** Postgres' code of a query that failed; empty for every other error. */
export const sqlStateOf = (error: unknown): string =>
  error instanceof QueryFailedError ? ((error.driverError as { code?: string }).code ?? '') : '';
