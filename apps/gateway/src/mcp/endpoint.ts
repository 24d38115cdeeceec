import type { McpCapabilityFacts } from '@gw/contracts';
import type { EndpointFacts, JsonObject, MemberList, ToolOverride } from '@gw/mcp';
import type { KnownCaller } from '../auth/known-caller';
import type { SeenCapability, ServerView } from './server-view';

export type CapabilityType = McpCapabilityFacts['type'];

/** A capability that an address offers, with its server. */
export interface Offered {
  readonly view: ServerView;
  readonly seen: SeenCapability;
  /** The toolset's override of a tool; null when the tool is shown as its server defines it. */
  readonly override: ToolOverride | null;
}

/** A resource that an address offers, under the server's own URI. */
export interface OfferedResource {
  readonly view: ServerView;
  readonly uri: string;
}

/** One caller's view of an MCP address: one MCP server, or several under one address. */
export interface Endpoint {
  /**
   * Id that sessions and cursors are bound to: the id of the server or toolset, or of the workspace
   * for the address of all its servers.
   */
  readonly id: string;
  /** Slug of the server or toolset; `-` for all servers of the workspace. */
  readonly slug: string;
  /** The integration of the only server; null for several. */
  readonly integrationId: string | null;
  readonly caller: KnownCaller;
  /** The servers that can be called. */
  readonly servers: readonly ServerView[];
  /** Facts about the address that need no call to a server. */
  readonly facts: EndpointFacts;
  /** Changes when the caller's lists change. */
  readonly listsDigest: string;
  /**
   * Whether clients see only the tools `search_tools` and `call_tool`, with which they find and
   * call the others.
   */
  readonly isSearched: boolean;
  /** Slugs of servers whose part of the lists is missing. */
  readonly unavailable: readonly string[];
  /** Whether lists fail while a server is unavailable. */
  readonly isStrict: boolean;
  /**
   * False while a server's document could not be read, so that an unknown name may belong to that
   * server.
   */
  readonly isWhole: boolean;
  /** Returns the shown names of the capabilities that the caller sees, by server. */
  lists(type: CapabilityType): readonly MemberList<string>[];
  /** Returns the definition of a listed capability as clients see it; empty for an unknown name. */
  definition(type: CapabilityType, shown: string): JsonObject;
  /**
   * Finds a capability by its shown name; undefined when it does not exist or the caller may not
   * see it.
   */
  find(type: CapabilityType, shown: string): Offered | undefined;
  /**
   * Finds the resource that a shown URI names: a listed one, or one that matches a template.
   * Undefined when there is none.
   */
  resourceOf(uri: string): OfferedResource | undefined;
  /** Returns the shown form of a server's URI. */
  shownUri(view: ServerView, uri: string): string;
}
