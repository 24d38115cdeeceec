import type { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { Answer } from '@gw/web';
import { OmitType } from '@nestjs/swagger';
import { shownConfigurations } from '../../platform/credentials/configurations';
import { SecretMappingAnswer, shownMappings } from '../../platform/credentials/secret-mappings';
import { ProviderAnswer, toProvider } from './providers.view';

export class VirtualKeyAnswer extends OmitType(ProviderAnswer, ['object', 'integration_id'] as const) {
  @Answer.text({ description: 'Id of the provider catalogue.', example: 'openai' })
  readonly provider!: string;
  @Answer.text({ example: 'openai' }) readonly ai_provider_name!: string;
  @Answer.json({ description: 'Provider fields; secrets are renamed to `masked_<name>`.' })
  readonly model_config!: Readonly<Record<string, unknown>>;
  @Answer.oneOf([''], { description: 'Always empty.' }) readonly key!: '';
  @Answer.text({ nullable: true, example: 'sk*****f9a' }) readonly masked_api_key!: string | null;
  @Answer.uuid() readonly integration_id!: string;
  @Answer.list(() => SecretMappingAnswer) readonly secret_mappings!: readonly SecretMappingAnswer[];
  @Answer.kind('virtual-key') readonly object!: 'virtual-key';
}

export const toVirtualKey = (row: ProviderEntity, hidden: IntegrationEntity): VirtualKeyAnswer => ({
  ...toProvider(row, hidden.id),
  provider: hidden.aiProviderId,
  ai_provider_name: hidden.aiProviderId,
  model_config: shownConfigurations(hidden.configurations, hidden.maskedConfigurations),
  key: '',
  masked_api_key: hidden.maskedKey,
  secret_mappings: shownMappings(hidden, 'model_config.'),
  object: 'virtual-key',
});
