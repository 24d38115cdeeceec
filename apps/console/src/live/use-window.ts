import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read, type ResponseOf, type OperationId, type Params, type Problem } from '../api';
import { useNow } from '../ui/primitives';
import { resolveRange, type Range } from '../url';

/** Time for which figures count as fresh when the page becomes visible again. */
const FRESH_MS = 30_000;
/** Interval at which windows move while the page is visible; each move reads all figures again. */
const MOVE_MS = 300_000;

/** A time range in the form that the analytics API takes. */
export interface Window {
  readonly time_of_generation_min: string;
  readonly time_of_generation_max: string;
}

const windowOf = (from: number, to: number): Window => ({
  time_of_generation_min: new Date(from).toISOString(),
  time_of_generation_max: new Date(to).toISOString(),
});

/** A range of the page at one moment, and the range before it. */
export interface Windows {
  readonly now: Window;
  /** The range of the same length before it. */
  readonly before: Window;
  readonly ms: number;
}

/**
 * Resolves a range at a moment. Rounds the moment up to `FRESH_MS`, so that reads at about the same
 * time have the same cache key.
 */
export function windowsAt(range: Range, at: number): Windows {
  const { from, to } = resolveRange(range, Math.ceil(at / FRESH_MS) * FRESH_MS);
  return { now: windowOf(from, to), before: windowOf(from - (to - from), from), ms: to - from };
}

/**
 * The current range and the range before it. Both move every `everyMs`, by default every five
 * minutes.
 */
export function useWindow(range: Range, everyMs = MOVE_MS): Windows {
  const now = useNow(everyMs);
  return useMemo(() => windowsAt(range, now), [range, now]);
}

/** Options of a read that stays fresh for `FRESH_MS`, for loaders. */
export const steady = <O extends OperationId>(id: O, params: Params<O>) =>
  read(id, params, { staleTime: FRESH_MS });

/** A read that keeps the previous response while the next one loads. */
export const useSteady = <O extends OperationId>(
  id: O,
  params: Params<O>,
  isOn = true,
): UseQueryResult<ResponseOf<O>, Problem> =>
  useQuery({ ...steady(id, params), enabled: isOn, placeholderData: keepPreviousData });
