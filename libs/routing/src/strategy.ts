import type { CompiledEdge, CompiledStrategy, CompiledTarget, StrategyLanguage } from '@gw/config-schema';
import type { HedgeOffer } from './budgets';
import type { Fault } from './faults';
import type { AttemptOutcome, Situation } from './types';

/** What a strategy may do while it chooses for a request. */
export interface ChoosingCursor extends Situation {
  /** The innermost strategy that may give another target. A strategy that can give one puts its own frame here. */
  frame: Frame | null;
  /** The label of the last condition that decided, for the decision record. */
  condition: string | null;
  /** Offers a second request next to the one to the target that is chosen; null: there is none, but the target is one of a hedge. */
  hedge(offer: HedgeOffer | null): void;
}

/** A strategy that has chosen and may give another target, and the strategy around it. */
export interface Frame {
  readonly outer: Frame | null;
  /** Whether another target may follow. `outcome` null: a choice below could not be made. `target`: that has the outcome. */
  movesOn(outcome: AttemptOutcome | null, target: CompiledTarget | null): boolean;
  /** The next way, once it moves on; null: none is left. */
  next(situation: Situation): CompiledEdge | null;
  /** Another way in place of one whose target is rate limited; null: there is none. */
  sibling(situation: Situation): CompiledEdge | null;
}

/**
 * All of a strategy: its part of the config language, how it chooses, and when it is out of order. To add one, write its file in
 * `strategies/` and add it to the list in `strategies/index.ts`.
 */
export interface Strategy<Node extends CompiledStrategy = CompiledStrategy> extends StrategyLanguage {
  /** The way that a request takes; null: no way is left, or none applies. */
  choose(node: Node, cursor: ChoosingCursor): CompiledEdge | null;
  /** Why the node should rather not be chosen now, or null. `isChoice`: there are equals to go to, so rate limits count. */
  fault(node: Node, situation: Situation, isChoice: boolean): Fault | null;
}

/** Checks a manifest. Its node is what it compiles, so the cast to the common type is safe. */
export const defineStrategy = <Node extends CompiledStrategy>(strategy: Strategy<Node>): Strategy => strategy;
