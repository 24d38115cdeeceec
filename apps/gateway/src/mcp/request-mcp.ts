import type { McpRecord } from '@gw/contracts';

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
  name: string | null = null;
  isError = false;
  argumentsDigest: string | null = null;
  inputs = 0;
  /** The call that is at its server; null before it and once it is charged. */
  atServer: LimitedCall | null = null;

  constructor(private readonly facts: Pick<McpRecord, 'server' | 'method' | 'revision' | 'client'>) {}

  /** A call is sent to its server. */
  begins(call: LimitedCall): void {
    this.atServer = call;
  }

  /** The call was charged. */
  ends(): void {
    this.atServer = null;
  }

  record(): McpRecord {
    const { name, isError, argumentsDigest, inputs } = this;
    return { ...this.facts, name, isError, argumentsDigest, inputs };
  }
}
