import type { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { omitOf, ResponseField } from '@gw/web';
import { shownConfigurations } from '../../platform/credentials/configurations';
import { SecretMappingResponse, shownMappings } from '../../platform/credentials/secret-mappings';
import { ProviderResponse, toProvider } from './providers.view';

export class VirtualKeyResponse extends omitOf(ProviderResponse, 'object', 'integration_id') {
  @ResponseField.text({ description: 'Id in the provider catalogue.', example: 'openai' })
  readonly provider!: string;
  @ResponseField.text({ example: 'openai' }) readonly ai_provider_name!: string;
  @ResponseField.json({ description: 'Provider fields; secrets are renamed to `masked_<name>`.' })
  readonly model_config!: Readonly<Record<string, unknown>>;
  @ResponseField.oneOf([''], { description: 'Always empty.' }) readonly key!: '';
  @ResponseField.text({ nullable: true, example: 'sk*****f9a' }) readonly masked_api_key!: string | null;
  @ResponseField.uuid() readonly integration_id!: string;
  @ResponseField.list(() => SecretMappingResponse)
  readonly secret_mappings!: readonly SecretMappingResponse[];
  @ResponseField.kind('virtual-key') readonly object!: 'virtual-key';
}

export const toVirtualKey = (row: ProviderEntity, hidden: IntegrationEntity): VirtualKeyResponse => ({
  ...toProvider(row, hidden.id),
  provider: hidden.aiProviderId,
  ai_provider_name: hidden.aiProviderId,
  model_config: shownConfigurations(hidden.configurations, hidden.maskedConfigurations),
  key: '',
  masked_api_key: hidden.maskedKey,
  secret_mappings: shownMappings(hidden, 'model_config.'),
  object: 'virtual-key',
});
