import { PROVIDER_CATALOGUE } from '@gw/providers';
import { listOf, listResponseOf, type ListResponse } from '@gw/web';
import { ControlRoutes } from '../../platform/control-routes';
import { Route } from '../../platform/resource/route';
import { CatalogueProviderResponse, toCatalogueProvider } from './provider-catalogue.view';

const CATALOGUE = PROVIDER_CATALOGUE.map(toCatalogueProvider);

/**
 * The catalogue contains no tenant data, so a scope to read or list providers or virtual keys, or to
 * list integrations, is enough.
 */
@ControlRoutes('providers/catalogue', 'utils/static-resources/integration-providers')
export class ProviderCatalogueController {
  /** Lists the providers that an integration may use, with their fields. */
  @Route.get(
    '',
    [
      'providers.list',
      'providers.read',
      'virtual_keys.list',
      'virtual_keys.read',
      'organisation_integrations.list',
      'workspace_integrations.list',
    ],
    listResponseOf(CatalogueProviderResponse),
  )
  list(): ListResponse<CatalogueProviderResponse> {
    return listOf([CATALOGUE, CATALOGUE.length]);
  }
}
