import type { CompiledEdge, CompiledNode } from './compiled';
import type { StrategyConfig, StrategySettings } from './config';
import type { ConfigNode, Path, Report } from './report';
import type { Subject } from './subjects';

/** A strategy's part of the config language: its members, its rules and how it is compiled. */
export interface StrategyLanguage {
  /** The value of `strategy.mode`. */
  readonly mode: string;
  /** JSON Schemas of the members of `strategy` that have an effect in this mode, by their names. */
  readonly members: Readonly<Record<string, object>>;
  /** Reports what the schemas cannot say. Settings and targets may have any shape: the schema reports wrong types. */
  check?(settings: ConfigNode, targets: readonly unknown[], path: Path, report: Report): void;
  /** How many patterns the settings hold; they may have any shape. Absent: none. */
  patterns?(settings: ConfigNode): number;
  /** The parts of a request that the strategy reads. Absent: none. */
  subjects?(settings: StrategySettings): readonly Subject[];
  /** Whether the strategy chooses by what was measured of its targets. Absent: it does not. */
  measures?(settings: StrategySettings): boolean;
  /** How many of its targets a request can reach, from the first on. Absent: all. */
  readonly reach?: number;
  /** The node for a valid config. */
  compile(source: StrategySource): CompiledNode;
}

/** What a strategy is compiled from. */
export interface StrategySource {
  readonly config: StrategyConfig;
  /** JSON path of the config that holds the strategy. */
  readonly path: string;
  /** Compiles one of the targets. */
  readonly child: (index: number) => CompiledNode;
  /** Compiles all targets, each with its line for the decision record. */
  readonly edges: () => readonly CompiledEdge[];
}
