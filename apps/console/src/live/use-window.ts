import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read, type AnswerOf, type OperationId, type Params, type Problem } from '../api';
import { useNow } from '../ui/primitives';
import { resolveRange, type Range } from '../url';

/** How long figures count as fresh when the page is seen again. */
const FRESH_MS = 30_000;
/** How often windows move while the page is seen: each time, all figures are read again. */
const MOVE_MS = 300_000;

/** A range of time as the analytics take it. */
export interface Window {
  readonly time_of_generation_min: string;
  readonly time_of_generation_max: string;
}

const windowOf = (from: number, to: number): Window => ({
  time_of_generation_min: new Date(from).toISOString(),
  time_of_generation_max: new Date(to).toISOString(),
});

/** A range at a moment. */
export interface Windows {
  readonly now: Window;
  /** The range of the same length before it. */
  readonly before: Window;
  readonly ms: number;
}

/** A range at a moment, which is rounded up, so that reads of about the same time are the same. */
export function windowsAt(range: Range, at: number): Windows {
  const { from, to } = resolveRange(range, Math.ceil(at / FRESH_MS) * FRESH_MS);
  return { now: windowOf(from, to), before: windowOf(from - (to - from), from), ms: to - from };
}

/** The range now and the one before it. Both move every `everyMs`, by default every five minutes. */
export function useWindow(range: Range, everyMs = MOVE_MS): Windows {
  const now = useNow(everyMs);
  return useMemo(() => windowsAt(range, now), [range, now]);
}

/** Options of such a read, for loaders. */
export const steady = <O extends OperationId>(id: O, params: Params<O>) =>
  read(id, params, { staleTime: FRESH_MS });

/** A read whose last answer stays while the next one is loaded. */
export const useSteady = <O extends OperationId>(
  id: O,
  params: Params<O>,
  isOn = true,
): UseQueryResult<AnswerOf<O>, Problem> =>
  useQuery({ ...steady(id, params), enabled: isOn, placeholderData: keepPreviousData });
