export { BodySkim } from './body/body-skim';
export {
  boundaryOf,
  formScan,
  PART_HEAD_MAX,
  PARTS_MAX,
  readPartHead,
  spliceForm,
  type PartHead,
} from './body/form-scan';
export { catalogueEntry, catalogueProvider, PROVIDER_CATALOGUE } from './catalogue';
export { fieldDescription } from './field-descriptions';
export { AWS_MEMBERS, awsRequestHeaders, type AwsRequest } from './identity/aws-request';
export { identityOf } from './identity/identity';
export { mayContainUsage, readResponse, readUsageAtEnd, type ResponseFacts } from './body/read-usage';
export { lastUsageMetadata, lastUsageObject } from './body/usage-object';
export { lacksOf, refusalOfLacks, type Lack } from './model-lacks';
export { demandOf, largerDemand, NO_DEMAND, type OutputDemand } from './body/output-demand';
export { shallowScan, spliceModel, type ShallowScan } from './body/shallow-scan';
export {
  defineProvider,
  type Credential,
  type Dialect,
  type EnvironmentKey,
  type HeaderList,
  type JsonObject,
  type LocalResponse,
  type LocalChunk,
  type LocalProvider,
  type Provider,
  type ProviderError,
  type ProviderVariant,
  type RouteSupport,
  type CreatedObject,
  type StreamTap,
  type StreamTranslator,
  type TranslatedRequest,
  type TranslationContext,
  type Translator,
} from './provider';
export { previewTranslation, type TranslationPreview } from './translation/preview';
export { providerFacts, type ProviderFacts } from './provider-facts';
export { PROVIDERS, registryOf } from './registry';
export { PROVIDER_ROWS } from './rows';
export { providerOfRow } from './rows/provider-of-row';
export { retiredMessage } from './rows/retired';
export { row, type ProviderRow } from './rows/row';
export { MODERATION_CATEGORIES } from './sandbox/moderations';
export { MODELS as SANDBOX_MODELS } from './sandbox/request';
