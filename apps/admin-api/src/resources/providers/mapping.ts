import { invalid } from '@gw/web';
import type { DeploymentDto, VirtualKeyFieldsDto } from './virtual-keys.dto';

/** Fields of the virtual-key routes, and the fields of the provider catalogue that they set. */
const FIELDS = {
  resourceName: 'azure_resource_name',
  azureAuthMode: 'azure_auth_mode',
  azureEntraTenantId: 'azure_entra_tenant_id',
  azureEntraClientId: 'azure_entra_client_id',
  azureEntraClientSecret: 'azure_entra_client_secret',
  azureManagedClientId: 'azure_managed_client_id',
  openaiOrganization: 'openai_organization',
  openaiProject: 'openai_project',
  custom_host: 'custom_host',
  custom_headers: 'custom_headers',
} as const satisfies Partial<Record<keyof VirtualKeyFieldsDto, string>>;

const DEPLOYMENTS = 'azure_deployment_config';

const BY_CATALOGUE_NAME: ReadonlyMap<string, string> = new Map([
  ...Object.entries(FIELDS).map(([field, name]) => [name, field] as const),
  [DEPLOYMENTS, 'deploymentConfig'],
]);

/** Returns the name of a catalogue field in the virtual-key routes, for the paths of errors. */
export const fieldNameOf = (catalogueName: string): string =>
  BY_CATALOGUE_NAME.get(catalogueName) ?? catalogueName;

const BY_FIELD_NAME: ReadonlyMap<string, string> = new Map(Object.entries(FIELDS));

/**
 * Returns the catalogue name of a field in the virtual-key routes. Returns catalogue names
 * unchanged.
 */
export const catalogueNameOf = (fieldName: string): string => BY_FIELD_NAME.get(fieldName) ?? fieldName;

/**
 * Returns the provider fields of a request by their catalogue names; undefined when there are none.
 */
export function configurationsOf(input: VirtualKeyFieldsDto): Record<string, unknown> | undefined {
  const named: Record<string, unknown> = {};
  for (const [field, name] of Object.entries(FIELDS)) {
    const value = input[field as keyof typeof FIELDS];
    if (value !== undefined) named[name] = value;
  }
  const deployments = deploymentsOf(input);
  if (deployments !== undefined) named[DEPLOYMENTS] = deployments;
  return Object.keys(named).length === 0 ? undefined : named;
}

/**
 * Returns `deploymentConfig`, or the one deployment that `deploymentName` and `apiVersion`
 * describe; null to remove the deployments, undefined when the request names none. Throws
 * `validation_failed` for only one of the two.
 */
function deploymentsOf({
  deploymentConfig,
  deploymentName,
  apiVersion,
}: VirtualKeyFieldsDto): object[] | null | undefined {
  if (deploymentConfig !== undefined) return deploymentConfig && deploymentConfig.map(toDeployment);
  if (deploymentName === undefined && apiVersion === undefined) return undefined;
  if (deploymentName === null && apiVersion === null) return null;
  for (const [field, value] of Object.entries({ deploymentName, apiVersion }))
    if (typeof value !== 'string')
      throw invalid(field, 'deploymentName and apiVersion describe one deployment; send both');
  return [{ azure_deployment_name: deploymentName, azure_api_version: apiVersion, is_default: true }];
}

const toDeployment = ({ apiVersion, deploymentName, alias, is_default }: DeploymentDto): object => ({
  azure_api_version: apiVersion,
  azure_deployment_name: deploymentName,
  ...(alias === undefined ? {} : { alias }),
  ...(is_default === undefined ? {} : { is_default }),
});
