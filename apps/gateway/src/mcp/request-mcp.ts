import type { McpApprovalRound, McpRecord, McpServerDocument } from '@gw/contracts';
import type { LimitedCall } from '../limits/limited-call';
import type { McpRecordParts } from '../record/mcp-record';

/** Fields of the log record of a request to an MCP server. */
export class RequestMcp {
  /** The server's own name of the tool or prompt, or the URI of the resource. Null: none was found. */
  name: string | null = null;
  /** `name` of a tool or a prompt: one of those that the server has, of which there are few. */
  capability: string | null = null;
  isError = false;
  argumentsDigest: string | null = null;
  inputs = 0;
  /** Code of the JSON-RPC error that the client gets; null without one. */
  errorCode: number | null = null;
  /** The approval of a person that the call used, waits for or was refused by. */
  approval: McpApprovalRound | null = null;
  /** Name that the client used. */
  shownName: string | null = null;
  /** The call that is at its server; null before it and once it is charged. */
  atServer: LimitedCall | null = null;

  private slug: string;
  private toolset: string | null = null;

  /** `facts.server`: slug of the address that was called. `reached`: the integration behind it; null before it is known. */
  constructor(
    private readonly facts: Pick<
      McpRecord,
      'server' | 'method' | 'revision' | 'client' | 'requestId' | 'session'
    >,
    private reached: string | null,
  ) {
    this.slug = facts.server;
  }

  /** Slug of the server; of the address while the server is not known. */
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

  /** The server behind the address is known. */
  reaches({ slug, integrationId }: Pick<McpServerDocument, 'slug' | 'integrationId'>): void {
    if (slug !== this.facts.server) this.toolset = this.facts.server;
    [this.slug, this.reached] = [slug, integrationId];
  }

  /** A call is sent to its server. */
  begins(call: LimitedCall): void {
    this.atServer = call;
  }

  /** The call was charged. */
  ends(): void {
    this.atServer = null;
  }

  record(): McpRecordParts {
    const { server, toolset, shownName, name, isError, argumentsDigest, inputs, errorCode, approval } = this;
    const { method, revision, client, requestId, session } = this.facts;
    // A plain literal, without spreads: each call makes it twice.
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
