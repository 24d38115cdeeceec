import type { CompiledEdge, CompiledNode } from './compiled';
import type { StrategyConfig, StrategySettings } from './config';
import type { ConfigNode, Path, Report } from './report';
import type { Subject } from './subjects';

/** A strategy's part of the config language: its members, its rules and its compilation. */
export interface StrategyLanguage {
  /** The value of `strategy.mode`. */
  readonly mode: string;
  /** JSON Schemas of the members of `strategy` that have an effect in this mode, by name. */
  readonly members: Readonly<Record<string, object>>;
  /**
   * Reports what the schemas cannot express. Settings and targets may have any shape, because the
   * schema reports wrong types separately.
   */
  check?(settings: ConfigNode, targets: readonly unknown[], path: Path, report: Report): void;
  /** Returns the number of patterns in the settings, which may have any shape. Absent: none. */
  patterns?(settings: ConfigNode): number;
  /** Returns the parts of a request that the strategy reads. Absent: none. */
  subjects?(settings: StrategySettings): readonly Subject[];
  /** Returns whether the strategy chooses by measurements of its targets. Absent: it does not. */
  measures?(settings: StrategySettings): boolean;
  /** Number of targets that a request can reach, counted from the first one. Absent: all. */
  readonly reach?: number;
  /** Returns the node for a valid config. */
  compile(source: StrategySource): CompiledNode;
}

/** The input of `StrategyLanguage.compile`. */
export interface StrategySource {
  readonly config: StrategyConfig;
  /** JSON path of the config that contains the strategy. */
  readonly path: string;
  /** Compiles one of the targets. */
  readonly child: (index: number) => CompiledNode;
  /** Compiles all targets, each with its line for the decision record. */
  readonly edges: () => readonly CompiledEdge[];
}
