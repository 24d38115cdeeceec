import { Body } from '@nestjs/common';
import { Caller, type Principal } from '../../../platform/common/principal';
import { ControlRoutes } from '../../../platform/control-routes';
import { Route } from '../../../platform/resource/route';
import { mcpScopes } from '../mcp-scopes';
import { ImportMcpServerDto } from './mcp-import.dto';
import { McpImportService } from './mcp-import.service';
import { ImportedMcpServerResponse } from './mcp-import.view';

@ControlRoutes('mcp-integrations')
export class McpImportController {
  constructor(private readonly imports: McpImportService) {}

  @Route.post('import', mcpScopes('create'), ImportedMcpServerResponse)
  run(@Caller() caller: Principal, @Body() body: ImportMcpServerDto): Promise<ImportedMcpServerResponse> {
    return this.imports.run(caller, body);
  }
}
