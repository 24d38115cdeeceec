import type { McpRecord } from '@gw/contracts';

/** What the log says about a request to an MCP server. */
export class RequestMcp {
  name: string | null = null;
  isError = false;
  argumentsDigest: string | null = null;
  inputs = 0;

  constructor(private readonly facts: Pick<McpRecord, 'server' | 'method' | 'revision' | 'client'>) {}

  record(): McpRecord {
    const { name, isError, argumentsDigest, inputs } = this;
    return { ...this.facts, name, isError, argumentsDigest, inputs };
  }
}
