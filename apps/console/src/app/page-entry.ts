import type { OperationId } from '../api';
import type { IconName } from '../ui/icons/icon';

export type PageGroup = 'top' | 'observe' | 'build' | 'control' | 'organisation';

/** Entry of the palette for a resource. */
export interface NamedThing {
  readonly id: string;
  readonly name: string;
  /** Address below the workspace or the organisation, as `PageEntry.to`. */
  readonly to: string;
  readonly hint?: string;
  /** Filter of its logs, such as `key:0198…`; absent: it has none. */
  readonly logs?: string;
}

/** Things that the palette finds by name. */
export interface PageThings {
  readonly operation: OperationId;
  /** Things whose name, slug or id has the text, at most ten, in a workspace. */
  readonly find: (text: string, workspaceId: string, signal: AbortSignal) => Promise<readonly NamedThing[]>;
}

export interface PageCreate {
  /** Name of what the action creates, such as `API key`. */
  readonly label: string;
  readonly to: string;
  readonly operation: OperationId;
  /** Second key of the chord that begins with C. */
  readonly chord?: string;
}

/** A page in the navigation and the palette. */
export interface PageEntry {
  readonly id: string;
  readonly group: PageGroup;
  readonly label: string;
  /** Address with `$ws` for the slug of the workspace, such as `/w/$ws/logs`. */
  readonly to: string;
  readonly icon: IconName;
  /** Shown to those who may call it; to everybody when absent. */
  readonly operation?: OperationId;
  /** Shown where the feature of this name is on, as `features` of the bootstrap names it; everywhere when absent. */
  readonly feature?: string;
  /** Second key of the chord that begins with G. */
  readonly chord?: string;
  readonly things?: PageThings;
  readonly create?: PageCreate;
}
