import { encodeFilter, type Comparison, type Filter } from '../../url';
import { uiText } from '../../messages/en/ui';
import { decimalText } from '../format';

/** A suggested value. */
export interface FilterOption {
  readonly value: string;
  /** Text shown instead of the value. */
  readonly label?: string;
  /** Number of requests with the value, if the API counts them. */
  readonly count?: number;
}

/** Suggests values that begin with or contain a text. */
export type OptionSource = (typed: string, signal: AbortSignal) => Promise<readonly FilterOption[]>;

/** A field that a list can be filtered by. */
export interface FilterField {
  /**
   * Name in the URL and in typed filters. A name that ends with `*`, such as `md.*`, stands for all
   * names with its prefix.
   */
  readonly id: string;
  readonly label: string;
  readonly group: string;
  /** `values`: matches one of several texts. `number`: compares. */
  readonly kind: 'values' | 'number';
  /** Unit of a number, such as `ms` or `cents`. */
  readonly unit?: string;
  /** Whether the API supports a negated filter. */
  readonly negatable?: boolean;
  /** Comparisons that the API supports; by default from, up to and between. */
  readonly comparisons?: readonly (Comparison | 'between')[];
  readonly options?: readonly FilterOption[] | OptionSource;
}

/**
 * Finds the field of a filter; for `md.team` it returns `md.*` with the id `md.team`. Null when
 * there is none.
 */
export function fieldOf(fields: readonly FilterField[], id: string): FilterField | null {
  const exact = fields.find((field) => field.id === id);
  if (exact !== undefined) return exact;
  const open = fields.find(
    (field) => field.id.endsWith('*') && id.startsWith(field.id.slice(0, -1)) && id.length >= field.id.length,
  );
  return open === undefined ? null : { ...open, id, label: id };
}

/** The shortest filter by a suggested value, such as `status:4xx`; null without suggestions. */
export function exampleOf(fields: readonly FilterField[]): string | null {
  const examples = fields.flatMap(({ id, options }) => {
    const [first] = Array.isArray(options) ? (options as readonly FilterOption[]) : [];
    return first === undefined ? [] : [`${id}:${first.value}`];
  });
  return examples.reduce<string | null>(
    (best, one) => (best === null || one.length < best.length ? one : best),
    null,
  );
}

/** Whether a page with these fields accepts a filter of its URL. */
export function acceptsFilter(fields: readonly FilterField[], { field: id, not, match }: Filter): boolean {
  const field = fieldOf(fields, id);
  if (field === null || (not && field.negatable !== true)) return false;
  return (match.kind === 'any') === (field.kind === 'values');
}

/** A filter as text, for chips and for `Nothing matches …`. */
export interface FilterWords {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
}

export function filterWords(filter: Filter, field: FilterField | null, locale = 'en'): FilterWords {
  const name = field?.label ?? filter.field;
  const { match, not } = filter;
  const number = (value: number): string => {
    const text = decimalText(value, 8, locale);
    return field?.unit === undefined ? text : `${text} ${field.unit}`;
  };
  switch (match.kind) {
    case 'any':
      return {
        name,
        operator: not ? uiText.filters.isNot : uiText.filters.is,
        value: match.values.map((value) => labelOf(field, value)).join(', '),
      };
    case 'compare':
      return {
        name,
        operator: (not ? uiText.filters.notPrefix : '') + uiText.filters.compare(match.op),
        value: number(match.value),
      };
    case 'between':
      return {
        name,
        operator: (not ? uiText.filters.notPrefix : '') + uiText.filters.between,
        value: uiText.filters.bounds(number(match.low), number(match.high)),
      };
  }
}

function labelOf(field: FilterField | null, value: string): string {
  const { options } = field ?? {};
  if (options === undefined || typeof options === 'function') return value;
  return options.find((option) => option.value === value)?.label ?? value;
}

/** React key of a filter. Several filters can have the same field. */
export const filterKey = (filter: Filter): string => encodeFilter(filter);
