import { encodeFilter, type Comparison, type Filter } from '../../url';
import { uiText } from '../../messages/en/ui';

/** A value that is offered. */
export interface FilterOption {
  readonly value: string;
  /** Shown in the place of the value. */
  readonly label?: string;
  /** Requests with it, where the API counts them. */
  readonly count?: number;
}

/** Offers values that begin with or contain a text. */
export type OptionSource = (typed: string, signal: AbortSignal) => Promise<readonly FilterOption[]>;

/** A field that a list can be filtered by. */
export interface FilterField {
  /** Name in the URL and in the text grammar. One that ends with `*` is for all with its beginning: `md.*`. */
  readonly id: string;
  readonly label: string;
  readonly group: string;
  /** `values`: one of several texts. `number`: comparisons. */
  readonly kind: 'values' | 'number';
  /** Unit of a number: `ms`, `cents`. */
  readonly unit?: string;
  /** Whether the API knows the negation. */
  readonly negatable?: boolean;
  /** Comparisons that the API knows. Default: from, up to and between. */
  readonly comparisons?: readonly (Comparison | 'between')[];
  readonly options?: readonly FilterOption[] | OptionSource;
}

/** The field of a filter; for `md.team` that of `md.*` with its own name. */
export function fieldOf(fields: readonly FilterField[], id: string): FilterField | null {
  const exact = fields.find((field) => field.id === id);
  if (exact !== undefined) return exact;
  const open = fields.find(
    (field) => field.id.endsWith('*') && id.startsWith(field.id.slice(0, -1)) && id.length >= field.id.length,
  );
  return open === undefined ? null : { ...open, id, label: id };
}

/** Whether a page with these fields accepts a filter; for the URL codec. */
export function acceptsFilter(fields: readonly FilterField[], { field: id, not, match }: Filter): boolean {
  const field = fieldOf(fields, id);
  if (field === null || (not && field.negatable !== true)) return false;
  return (match.kind === 'any') === (field.kind === 'values');
}

/** A filter in words, for chips and for `Nothing matches …`. */
export interface FilterWords {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
}

export function filterWords(filter: Filter, field: FilterField | null, locale = 'en'): FilterWords {
  const name = field?.label ?? filter.field;
  const { match, not } = filter;
  const number = (value: number): string => {
    const text = new Intl.NumberFormat(locale, { maximumFractionDigits: 8 }).format(value);
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

/** Key of a filter in a list: two with the same field may exist. */
export const filterKey = (filter: Filter): string => encodeFilter(filter);
