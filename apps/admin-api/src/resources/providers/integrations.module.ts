import { Module } from '@nestjs/common';
import { IntegrationModelsService } from './integration-models.service';
import { IntegrationWorkspacesService } from './integration-workspaces.service';
import { IntegrationsController, ProviderCatalogueController } from './integrations.controller';
import { IntegrationsService } from './integrations.service';

@Module({
  controllers: [IntegrationsController, ProviderCatalogueController],
  providers: [IntegrationsService, IntegrationModelsService, IntegrationWorkspacesService],
})
export class IntegrationsModule {}
