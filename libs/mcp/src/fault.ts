import type { RequestId } from './protocol';

/** Error codes of JSON-RPC 2.0 and of MCP. */
export const CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** Resource not found, until 2025-11-25; later revisions use `invalidParams`. */
  resourceNotFound: -32_002,
  /** The user must open a URL (MCP 2025-11-25). */
  urlElicitation: -32_042,
  /** Header and body differ (MCP 2026-07-28). */
  headerMismatch: -32_020,
  /** The client lacks a capability (MCP 2026-07-28). */
  missingCapability: -32_021,
  /** The revision is not supported (MCP 2026-07-28). */
  unsupportedVersion: -32_022,
} as const;

export interface FaultOptions {
  /** HTTP status; 200 without it. */
  readonly status?: number;
  /** Id of the request; null when it could not be read. */
  readonly id?: RequestId | null;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refused request: an HTTP status and an error of JSON-RPC. The message is public. */
export class McpFault extends Error {
  readonly status: number;
  readonly id: RequestId | null;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: number,
    message: string,
    { status = 200, id = null, data, headers = {} }: FaultOptions = {},
  ) {
    super(message);
    this.name = 'McpFault';
    this.status = status;
    this.id = id;
    this.data = data ?? null;
    this.headers = headers;
  }

  /** Returns the same fault with the id of the request that it responds to. */
  of(id: RequestId | null): McpFault {
    const { code, message, status, data, headers } = this;
    return new McpFault(code, message, { status, id, headers, ...(data && { data }) });
  }

  /** Returns the error response of JSON-RPC. */
  body(): Readonly<Record<string, unknown>> {
    const { code, message, data, id } = this;
    return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } };
  }
}

/** Returns a fault with status 400. */
export const badRequest = (code: number, message: string, id: RequestId | null = null): McpFault =>
  new McpFault(code, message, { status: 400, id });

/**
 * Returns the fault for a tool, prompt or resource that does not exist, or is hidden, disabled,
 * pending or not permitted. It is the same for all of them, so that none reveals that it exists.
 */
export const unknownCapability = (
  kind: 'tool' | 'prompt' | 'resource',
  name: string,
  id: RequestId | null = null,
): McpFault => new McpFault(CODES.invalidParams, `Unknown ${kind}: ${name.slice(0, 256)}`, { id });
