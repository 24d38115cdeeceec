import { QueryFailedError } from 'typeorm';

/** Postgres' code of a query that failed; empty for every other error. */
export const sqlStateOf = (error: unknown): string =>
  error instanceof QueryFailedError ? ((error.driverError as { code?: string }).code ?? '') : '';

/** Whether a write was refused because a row with the same unique values is there. */
export const isUniqueViolation = (error: unknown): boolean => sqlStateOf(error) === '23505';
