import type { ConfigNode, Path, Report } from './report';

/** A strategy's part of the config language: its members and its rules. */
export interface StrategyLanguage {
  /** The value of `strategy.mode`. */
  readonly mode: string;
  /** JSON Schemas of the members of `strategy` that have an effect in this mode, by name. */
  readonly members: Readonly<Record<string, object>>;
  /**
   * Reports violations that the schemas cannot express. Settings and targets may have any shape,
   * because the schema reports wrong types separately.
   */
  check?(settings: ConfigNode, targets: readonly unknown[], path: Path, report: Report): void;
  /** Returns the number of patterns in the settings, which may have any shape. Absent: none. */
  patterns?(settings: ConfigNode): number;
}
