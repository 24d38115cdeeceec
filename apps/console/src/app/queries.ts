import { QueryClient } from '@tanstack/react-query';
import { Problem } from '../api';

const RETRIES_MAX = 2;

/**
 * Whether a failed read is retried: after server and network errors, never after a refusal (4xx).
 */
export const isWorthTrying = (count: number, problem: unknown): boolean =>
  count < RETRIES_MAX && problem instanceof Problem && (problem.status === 0 || problem.status >= 500);

export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: isWorthTrying, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
