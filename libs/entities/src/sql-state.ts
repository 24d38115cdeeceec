import { QueryFailedError } from 'typeorm';

/** Returns the SQLSTATE of a failed query; an empty text for any other error. */
export const sqlStateOf = (error: unknown): string =>
  error instanceof QueryFailedError ? ((error.driverError as { code?: string }).code ?? '') : '';

/** Returns whether a write failed because a row with the same unique values exists. */
export const isUniqueViolation = (error: unknown): boolean => sqlStateOf(error) === '23505';
