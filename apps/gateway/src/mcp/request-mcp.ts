import type { McpApprovalRound, McpRecord } from '@gw/contracts';

/** A call of a tool, as far as limits look at it. */
export interface LimitedCall {
  /** Slug of the server. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** 1e-8 USD. */
  readonly price: number;
}

/** What the log says about a request to an MCP server. */
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
  /** The call that is at its server; null before it and once it is charged. */
  atServer: LimitedCall | null = null;

  constructor(
    private readonly facts: Pick<
      McpRecord,
      'server' | 'method' | 'revision' | 'client' | 'requestId' | 'session'
    >,
    /** The integration that the server belongs to. */
    readonly integrationId: string,
  ) {}

  get server(): string {
    return this.facts.server;
  }

  get method(): string {
    return this.facts.method;
  }

  /** A call is sent to its server. */
  begins(call: LimitedCall): void {
    this.atServer = call;
  }

  /** The call was charged. */
  ends(): void {
    this.atServer = null;
  }

  record(): McpRecord {
    const { name, isError, argumentsDigest, inputs, errorCode, approval } = this;
    const code = errorCode === null ? {} : { errorCode };
    const approved = approval === null ? {} : { approvalId: approval.id };
    return { ...this.facts, name, isError, argumentsDigest, inputs, ...code, ...approved };
  }
}
