import { McpServerTests } from '../../platform/mcp/mcp-server-tests';
import { McpImportController } from './import/mcp-import.controller';
import { McpImportService } from './import/mcp-import.service';
import { RegistryClient } from './import/registry-client';
import { McpCapabilitiesController, McpSyncJobController } from './mcp-capabilities.controller';
import { McpCapabilitiesService } from './mcp-capabilities.service';
import { McpHealth } from './mcp-health.service';
import {
  McpHealthJobController,
  McpIntegrationVersionsController,
} from './mcp-integration-versions.controller';
import { McpIntegrationWorkspacesService } from './mcp-integration-workspaces.service';
import { McpIntegrationsController } from './mcp-integrations.controller';
import { McpIntegrationsService } from './mcp-integrations.service';
import { MCP_NETWORK_PROVIDER } from './mcp-network';
import { McpSnapshots } from './mcp-snapshots.service';
import { McpSources } from './mcp-sources.service';
import { McpSyncService } from './mcp-sync.service';
import { McpUpstreams } from './mcp-upstreams.service';
import { OpenApiDocuments } from './openapi/openapi-documents.service';
import { McpOpenApiController } from './openapi/openapi.controller';
import { OpenApiService } from './openapi/openapi.service';
import { YamlDocuments } from './openapi/yaml-documents';

/** Controllers and providers of MCP integrations and the capabilities of their servers. */
export const MCP_INTEGRATIONS = {
  controllers: [
    McpIntegrationsController,
    McpIntegrationVersionsController,
    McpCapabilitiesController,
    McpSyncJobController,
    McpHealthJobController,
    McpOpenApiController,
    McpImportController,
  ],
  providers: [
    MCP_NETWORK_PROVIDER,
    McpIntegrationsService,
    McpIntegrationWorkspacesService,
    McpCapabilitiesService,
    McpHealth,
    McpSnapshots,
    McpSyncService,
    { provide: McpServerTests, useExisting: McpSyncService },
    McpUpstreams,
    McpSources,
    { provide: YamlDocuments, useFactory: () => new YamlDocuments() },
    OpenApiDocuments,
    OpenApiService,
    McpImportService,
    RegistryClient,
  ],
};
