export { priceOfResponse, type NamedModels } from './response-price';
export { compileAdjustments, type Adjustments } from './adjustments';
export type { PriceCard, Unit, UnitPrice, UnitPrices } from './catalogue';
export {
  createModelConfigs,
  hasPriceSources,
  modelConfigSettings,
  type ModelConfigAlarm,
  type ModelConfigKind,
  type ModelConfigReaders,
  type ModelConfigs,
  type ModelConfigSettings,
  type ModelConfigsOptions,
  type ModelConfigSource,
} from './model-configs';
export {
  createPriceBook,
  customCard,
  type CustomPrice,
  type Price,
  type PriceBook,
  type PriceBookOptions,
} from './price-book';
export { parsePriceFile, parsePricingConfig, type PriceFile } from './price-file';
export {
  createPricer,
  reprice,
  type PricedRecord,
  type PricedUsage,
  type Pricer,
  type PricedProvider,
  type PriceRequest,
  type Rate,
  type Rates,
  type Repricing,
} from './pricer';
export { SavedPrices, type SavedModel } from './saved-prices';
export type { BillableUsage } from './usage';
