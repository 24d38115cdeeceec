/** Revisions of the Model Context Protocol with sessions, oldest first. */
export const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
/** Revisions in which each request carries its version and capabilities, oldest first. */
export const MODERN_REVISIONS = ['2026-07-28'] as const;

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];
export type ModernRevision = (typeof MODERN_REVISIONS)[number];

/**
 * The two forms of the protocol: with `initialize` and sessions, and without (since 2026-07-28).
 */
export type Era = 'legacy' | 'modern';

export const NEWEST_LEGACY: LegacyRevision = '2025-11-25';
/** The revision of a session whose requests carry no version header. */
export const DEFAULT_LEGACY: LegacyRevision = '2025-03-26';
/** The only revision with batches of JSON-RPC. */
export const BATCH_REVISION: LegacyRevision = '2025-03-26';

/** All supported revisions, newest first, as `server/discover` lists them. */
export const SUPPORTED_REVISIONS: readonly string[] = [...LEGACY_REVISIONS, ...MODERN_REVISIONS].reverse();

export const isLegacyRevision = (text: unknown): text is LegacyRevision =>
  LEGACY_REVISIONS.some((revision) => revision === text);
export const isModernRevision = (text: unknown): text is ModernRevision =>
  MODERN_REVISIONS.some((revision) => revision === text);

/**
 * Returns the revision for the response to `initialize`: the requested one if it is a supported
 * legacy revision, else the newest legacy one (MCP 2025-11-25, lifecycle).
 */
export const negotiatedRevision = (requested: unknown): LegacyRevision =>
  isLegacyRevision(requested) ? requested : NEWEST_LEGACY;

/** Members of `_meta` that the protocol defines (MCP 2026-07-28). */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Identifier of the extension for tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** An object of JSON that was parsed, not yet checked further. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Id of a request: a string of at most 1,024 UTF-16 units, or an integer that a double represents.
 */
export type RequestId = string | number;

/** Bounds of messages. Bytes are of UTF-8; lengths are UTF-16 units. */
export const MCP_LIMITS = {
  bodyBytesMax: 4_194_304,
  /**
   * Maximum depth of a member of `params`, such as the arguments; the whole message may have two
   * more levels.
   */
  depthMax: 64,
  /** Maximum number of members of one object. */
  membersMax: 10_000,
  /** Maximum number of messages of one batch. */
  batchMax: 20,
  idLengthMax: 1_024,
  /** Maximum size of one response or event of an upstream server. */
  upstreamBytesMax: 8_388_608,
  /** Maximum number of items of one list of an upstream server, over all its pages. */
  itemsMax: 5_000,
  /** Maximum number of pages of such a list. */
  pagesMax: 100,
  descriptionMax: 16_384,
  /** Maximum size of the sealed state of a request that waits for input. */
  stateBytesMax: 65_536,
  sessionIdMax: 512,
} as const;

const REQUESTS_OF_BOTH = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/cancel',
];

const REQUESTS: Readonly<Record<Era, ReadonlySet<string>>> = {
  legacy: new Set([
    ...REQUESTS_OF_BOTH,
    ...['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'],
    ...['tasks/list', 'tasks/result'],
  ]),
  modern: new Set([...REQUESTS_OF_BOTH, 'server/discover', 'subscriptions/listen', 'tasks/update']),
};

/** Returns whether clients may send this request in an era. Other methods are never forwarded. */
export const isKnownRequest = (era: Era, method: string): boolean => REQUESTS[era].has(method);

/** Requests to which an upstream may respond with `input_required` (MCP 2026-07-28). */
export const MAY_REQUIRE_INPUT: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
]);
