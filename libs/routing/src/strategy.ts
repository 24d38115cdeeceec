import type { StrategyConfig, StrategyLanguage, StrategySettings, Subject } from '@gw/config-schema';
import type { HedgeOffer } from './budgets';
import type { CompiledEdge, CompiledNode, CompiledStrategy, CompiledTarget } from './compile/compiled';
import type { Fault } from './faults';
import type { AttemptOutcome, ChoiceContext } from './types';

/** State that a strategy may use while it chooses for a request. */
export interface ChoosingCursor extends ChoiceContext {
  /**
   * The innermost strategy that may provide another target. A strategy that can provide one sets
   * its own frame here.
   */
  frame: Frame | null;
  /** Label of the last condition that decided, for the decision record. */
  condition: string | null;
  /** Marks the chosen target as one of a hedge; `offer` is its second request, null for none. */
  hedge(offer: HedgeOffer | null): void;
}

/** A strategy that has chosen and may provide another target, linked to the strategy around it. */
export interface Frame {
  readonly outer: Frame | null;
  /**
   * Whether another target may follow. `outcome` is null when a choice below could not be made;
   * `target` gave the outcome.
   */
  movesOn(outcome: AttemptOutcome | null, target: CompiledTarget | null): boolean;
  /** Whether `next` has no edge left. */
  readonly isSpent: boolean;
  /** Returns the next edge after moving on; null when none is left. */
  next(situation: ChoiceContext): CompiledEdge | null;
  /** Returns another edge in place of a rate-limited target; null when there is none. */
  sibling(situation: ChoiceContext): CompiledEdge | null;
}

/** The input of `Strategy.compile`. */
export interface StrategySource {
  readonly config: StrategyConfig;
  /** JSON path of the config that contains the strategy. */
  readonly path: string;
  /** Compiles one of the targets. */
  readonly child: (index: number) => CompiledNode;
  /** Compiles all targets, each with its line for the decision record. */
  readonly edges: () => readonly CompiledEdge[];
}

/**
 * Everything about a strategy: its part of the config language, how it chooses, and when it is
 * unavailable.
 * To add one, write its file in `strategies/` and add it to the list in `strategies/index.ts`.
 */
export interface Strategy<Node extends CompiledStrategy = CompiledStrategy> extends StrategyLanguage {
  /** Returns the parts of a request that the strategy reads. Absent: none. */
  subjects?(settings: StrategySettings): readonly Subject[];
  /** Returns whether the strategy chooses by measurements of its targets. Absent: it does not. */
  measures?(settings: StrategySettings): boolean;
  /** Number of targets that a request can reach, counted from the first one. Absent: all. */
  readonly reach?: number;
  /** Returns the node for a valid config. */
  compile(source: StrategySource): CompiledNode;
  /** Returns the edge that a request takes; null when no edge is left or none applies. */
  choose(node: Node, cursor: ChoosingCursor): CompiledEdge | null;
  /**
   * Returns why the node should not be chosen now, or null. `isChoice`: there are equal
   * alternatives, so rate limits count.
   */
  fault(node: Node, situation: ChoiceContext, isChoice: boolean): Fault | null;
}

/**
 * Type-checks a manifest. A strategy only gets nodes that it compiled itself, so the cast to the
 * common type is safe.
 */
export const defineStrategy = <Node extends CompiledStrategy>(strategy: Strategy<Node>): Strategy => strategy;
