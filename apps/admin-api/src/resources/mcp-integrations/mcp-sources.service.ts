import type { McpIntegrationEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import type { ServerSnapshot } from './mcp-snapshot';
import type { McpSource, ServerDescription } from './mcp-source';
import { McpUpstreams } from './mcp-upstreams.service';
import { OpenApiDocuments } from './openapi/openapi-documents.service';

/** Delegates to the source of an integration's kind. */
@Injectable()
export class McpSources implements McpSource {
  constructor(
    private readonly servers: McpUpstreams,
    private readonly openApi: OpenApiDocuments,
  ) {}

  read(row: McpIntegrationEntity): Promise<ServerSnapshot> {
    return this.of(row).read(row);
  }

  describe(row: McpIntegrationEntity, totalMs?: number): Promise<ServerDescription> {
    return this.of(row).describe(row, totalMs);
  }

  private of({ kind }: McpIntegrationEntity): McpSource {
    return kind === 'openapi' ? this.openApi : this.servers;
  }
}
