export {
  VALUES_MAX,
  decodeFilter,
  encodeFilter,
  isSameFilter,
  type Comparison,
  type Filter,
  type Match,
} from './filter';
export {
  FILTERS_MAX,
  decodePage,
  encodePage,
  pageSearch,
  reportOnce,
  type Decoded,
  type Dropped,
} from './page-codec';
export { PAGE_DEFAULTS, type PageRules, type PageState } from './page-state';
export {
  asOfNow,
  decodeRange,
  encodeRange,
  resolveRange,
  shiftRange,
  spanMs,
  type AbsoluteRange,
  type Range,
  type RelativeRange,
  type ResolvedRange,
} from './range';
export {
  pairsOf,
  parsePairs,
  parseSearch,
  stringifySearch,
  writePairs,
  type SearchPairs,
  type SearchRecord,
} from './search-text';
