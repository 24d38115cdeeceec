export { UNITS_PER_USD } from './money';
export {
  createPriceBook,
  priceAtCustom,
  type CustomPrice,
  type Price,
  type PriceBook,
  type PriceBookOptions,
} from './price-book';
