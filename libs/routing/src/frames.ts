import type { CompiledEdge, CompiledFallback, CompiledLoadbalance } from '@gw/config-schema';
import { faultOf } from './faults';
import type { Situation } from './types';

/** A strategy that is under way and may still be asked for another target, and the one around it. */
export type Frame = FallbackFrame | BalanceFrame;

export interface FallbackFrame {
  readonly node: CompiledFallback;
  readonly outer: Frame | null;
  /** The edge to look at next. */
  index: number;
  /** Edges put last because their credential fails. */
  later: CompiledEdge[] | null;
  /** All breakers are open, so none is asked. */
  bypass: boolean;
}

/** A choice that another one can take the place of when its target is rate limited. */
export interface BalanceFrame {
  readonly node: CompiledLoadbalance;
  readonly outer: Frame | null;
  /** Positions of the edges that were picked. */
  readonly picked: number[];
}

export const fallbackFrame = (node: CompiledFallback, outer: Frame | null): FallbackFrame => ({
  node,
  outer,
  index: 0,
  later: null,
  bypass: false,
});

/** Where every breaker is open there is nothing to lose: then the targets are tried as if none were. */
export function takeFirst(frame: FallbackFrame, situation: Situation): CompiledEdge | null {
  const edge = takeNext(frame, situation);
  if (edge) return edge;
  frame.index = 0;
  frame.bypass = true;
  return takeNext(frame, situation);
}

export function takeNext(frame: FallbackFrame, situation: Situation): CompiledEdge | null {
  const { edges } = frame.node;
  while (frame.index < edges.length) {
    const edge = edges[frame.index++] as CompiledEdge;
    const fault = frame.bypass ? null : faultOf(edge.node, situation, false);
    if (fault === null) return edge;
    situation.note(edge.node.path, fault);
    if (fault !== 'breaker_open') (frame.later ??= []).push(edge);
  }
  return frame.later?.shift() ?? null;
}
