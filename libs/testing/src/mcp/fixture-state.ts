import type { ToolAnnotations } from '@modelcontextprotocol/server';

/** A change that a test makes to a tool while the fixture runs. */
export interface ToolChange {
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
  /** False hides the tool: it is not listed and calls are refused. */
  readonly enabled?: boolean;
}

export type ChangedList = 'tools' | 'prompts' | 'resources';

/**
 * State that all servers of one fixture share; each modern request and each legacy session has its
 * own server.
 */
export interface FixtureState {
  readonly changes: Map<string, ToolChange>;
  /** Names of tools that were added while the fixture runs. */
  readonly added: string[];
  /** Names of tools whose call was cancelled before it ended. */
  readonly cancelled: string[];
  /** Ends the waits of the running calls of `slow`. */
  releases: AbortController;
  /** Number of changes of the list of prompts. */
  promptChanges: number;
  /** Changes a tool in every session and announces it. */
  changeTool(name: string, change: ToolChange): void;
  /** Changes the description of a prompt in every session and announces it. */
  changePrompts(): void;
  /** Sends list_changed to every open session and every subscription. */
  notifyListChanged(list: ChangedList): void;
}
