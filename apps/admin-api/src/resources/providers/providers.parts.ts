import { ProvidersController } from './providers.controller';
import { ProvidersService } from './providers.service';
import { IntegrationTestsController } from './tests/integration-tests.controller';
import { IntegrationTestsService } from './tests/integration-tests.service';
import { VirtualKeysController } from './virtual-keys.controller';
import { VirtualKeysService } from './virtual-keys.service';
import { WorkspaceModelsController } from './workspace-models.controller';
import { WorkspaceModelsService } from './workspace-models.service';

/**
 * Controllers and providers of providers in workspaces, their models and virtual keys, and tests of
 * integrations.
 */
export const PROVIDERS = {
  controllers: [
    IntegrationTestsController,
    WorkspaceModelsController,
    ProvidersController,
    VirtualKeysController,
  ],
  providers: [IntegrationTestsService, WorkspaceModelsService, ProvidersService, VirtualKeysService],
};
