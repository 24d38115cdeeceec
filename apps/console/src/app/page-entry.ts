import type { OperationId } from '../api';
import type { IconName } from '../ui/icons/icon';

export type PageGroup = 'top' | 'observe' | 'build' | 'control' | 'organisation';

/** A resource that the palette lists. */
export interface NamedThing {
  readonly id: string;
  readonly name: string;
  /** Address in the form of `PageEntry.to`. */
  readonly to: string;
  readonly hint?: string;
  /** Log filter of the resource, such as `key:0198…`; absent when the resource has no logs. */
  readonly logs?: string;
}

/** Resources of a page that the palette finds by name. */
export interface PageThings {
  readonly operation: OperationId;
  /** Finds at most ten resources of a workspace whose name, slug or id contains the text. */
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
  /** Operation that a user must be allowed to call to see the page; absent: every user sees it. */
  readonly operation?: OperationId;
  /** Feature (in `features` of the bootstrap response) that must be on; absent: always shown. */
  readonly feature?: string;
  /** Second key of the chord that begins with G. */
  readonly chord?: string;
  readonly things?: PageThings;
  readonly create?: PageCreate;
}
