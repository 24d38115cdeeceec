export { Chip, FilterEditor, type ChipProps } from './chip';
export {
  acceptsFilter,
  fieldOf,
  filterKey,
  filterWords,
  type FilterField,
  type FilterOption,
  type FilterWords,
  type OptionSource,
} from './fields';
export { FilterBar, type FilterBarProps } from './filter-bar';
export { joinFilters, parseFilterText, singleFilters, type FilterText } from './filter-text';
