import { QueryClient } from '@tanstack/react-query';
import { Problem } from '../api';

const TRIES = 2;

/** Reads are tried again after faults of servers and networks, never after a refusal. */
export const isWorthTrying = (count: number, problem: unknown): boolean =>
  count < TRIES && problem instanceof Problem && (problem.status === 0 || problem.status >= 500);

export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: isWorthTrying, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
