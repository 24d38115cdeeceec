import type { McpCapabilityFacts } from '@gw/contracts';
import type { EndpointFacts, JsonObject, MemberList, ToolOverride } from '@gw/mcp';
import type { KnownCaller } from '../auth/known-caller';
import type { SeenCapability, ServerView } from './server-view';

export type CapabilityType = McpCapabilityFacts['type'];

/** A capability that an address offers, and the server that has it. */
export interface Offered {
  readonly view: ServerView;
  readonly seen: SeenCapability;
  /** How a toolset shows a tool differently; null: as the server has it. */
  readonly override: ToolOverride | null;
}

/** A resource that an address offers, under the server's own URI. */
export interface OfferedResource {
  readonly view: ServerView;
  readonly uri: string;
}

/** Target of an address for one caller: one MCP server, or several under one address. */
export interface Endpoint {
  /**
   * Id that sessions and cursors are bound to: that of the server or toolset, or the workspace's
   * for all its servers.
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
  /** Whether clients list two tools, with which they search and call the others. */
  readonly isSearched: boolean;
  /** Slugs of servers whose part of the lists is missing. */
  readonly unavailable: readonly string[];
  /** Whether lists fail while a server is unavailable. */
  readonly isStrict: boolean;
  /** False while a server could not be read, so that an unknown name may be one of its. */
  readonly isWhole: boolean;
  /** Shown names of what the caller sees, by server. */
  lists(type: CapabilityType): readonly MemberList<string>[];
  /** The definition of something listed, as clients see it. */
  definition(type: CapabilityType, shown: string): JsonObject;
  /** Undefined for what does not exist and for what the caller does not see. */
  find(type: CapabilityType, shown: string): Offered | undefined;
  /** The listed resource that a shown URI names, or one of a template. */
  resourceOf(uri: string): OfferedResource | undefined;
  /** The shown form of a URI of a server. */
  shownUri(view: ServerView, uri: string): string;
}
