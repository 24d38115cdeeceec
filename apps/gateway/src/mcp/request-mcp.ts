import type { McpApprovalRound, McpRecord, McpServerDocument } from '@gw/contracts';
import { CallProgress } from '../limits/call-progress';
import type { McpRecordParts } from '../record/mcp-record';

/** Fields of the log record of a request to an MCP server. */
export class RequestMcp extends CallProgress {
  /**
   * The server's own name of the tool or prompt, or the URI of the resource; null when none was
   * found.
   */
  name: string | null = null;
  /**
   * `name` when it is an existing tool or prompt of the server, so that metrics labelled with it
   * have few values.
   */
  capability: string | null = null;
  isError = false;
  argumentsDigest: string | null = null;
  inputs = 0;
  /** Code of the JSON-RPC error that the client receives; null without one. */
  errorCode: number | null = null;
  /** The person's approval that the call used, waits for, or was rejected by. */
  approval: McpApprovalRound | null = null;
  /** Name that the client used. */
  shownName: string | null = null;
  private slug: string;
  private toolset: string | null = null;

  /**
   * `facts.server` is the slug of the address that was called. `reached` is the integration of its
   * server; null until it is known.
   */
  constructor(
    private readonly facts: Pick<
      McpRecord,
      'server' | 'method' | 'revision' | 'client' | 'requestId' | 'session'
    >,
    private reached: string | null,
  ) {
    super();
    this.slug = facts.server;
  }

  /** Slug of the server, or of the address while the server is not known. */
  get server(): string {
    return this.slug;
  }

  /** The integration that the server belongs to; null while it is not known. */
  get integrationId(): string | null {
    return this.reached;
  }

  get method(): string {
    return this.facts.method;
  }

  /** Records the server that the request is for. */
  noteServer({ slug, integrationId }: Pick<McpServerDocument, 'slug' | 'integrationId'>): void {
    if (slug !== this.facts.server) this.toolset = this.facts.server;
    [this.slug, this.reached] = [slug, integrationId];
  }

  record(): McpRecordParts {
    const { server, toolset, shownName, name, isError, argumentsDigest, inputs, errorCode, approval } = this;
    const { method, revision, client, requestId, session } = this.facts;
    // A plain literal, because spreads are slower and each call creates this object twice.
    return {
      server,
      method,
      revision,
      client,
      name,
      isError,
      argumentsDigest,
      inputs,
      requestId,
      session,
      toolset: toolset ?? undefined,
      shownName: shownName === null || shownName === name ? undefined : shownName,
      errorCode: errorCode ?? undefined,
      approvalId: approval?.id,
    };
  }
}
