import type { OperationId } from '../api';

export type PageGroup = 'top' | 'observe' | 'build' | 'control' | 'organisation';

/** A page in the navigation and the palette. */
export interface PageEntry {
  readonly id: string;
  readonly group: PageGroup;
  readonly label: string;
  /** Address with `$ws` for the slug of the workspace, such as `/w/$ws/logs`. */
  readonly to: string;
  /** Name of the icon in `src/ui`. */
  readonly icon: string;
  /** Shown to those who may call it; to everybody when absent. */
  readonly operation?: OperationId;
  /** Shown where the feature of this name is on; everywhere when absent. */
  readonly feature?: string;
  /** Second key of the chord that begins with G. */
  readonly chord?: string;
}
