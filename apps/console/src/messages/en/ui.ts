import { plural } from '../plural';
import type { Priced } from '../../ui/primitives/money';
import type { Comparison } from '../../url';

const MONEY_UNKNOWN: Readonly<Record<Priced, string>> = {
  priced: 'unknown',
  unpriced: 'unpriced: the price of the model is not known',
  no_usage: 'no usage was reported',
  estimated: 'could not be estimated',
};

const COMPARED: Readonly<Record<Comparison, string>> = {
  '>': 'over',
  '>=': 'from',
  '<': 'under',
  '<=': 'up to',
};

/** Texts of the components in `src/ui`. */
export const uiText = {
  money: {
    unknown: (priced: Priced) => MONEY_UNKNOWN[priced],
    exactly: (amount: string) => `exactly ${amount} USD`,
    estimated: 'Estimated: the response was cut, or the provider reported no usage.',
  },
  tokens: (input: string, output: string) => `${input} tokens in, ${output} tokens out`,
  copy: {
    button: (what?: string) => (what === undefined ? 'Copy' : `Copy ${what}`),
    click: 'Click to copy',
    copied: 'Copied',
    failed: 'The browser did not allow copying.',
  },
  filters: {
    bar: 'Filters',
    add: 'Add filter',
    clear: 'Clear filters',
    field: 'Field',
    operator: 'Comparison',
    is: 'is',
    isNot: 'is not',
    notPrefix: 'not ',
    compare: (op: Comparison) => COMPARED[op],
    between: 'between',
    bounds: (low: string, high: string) => `${low} and ${high}`,
    lowest: (field: string) => `${field}, from`,
    highest: (field: string) => `${field}, up to`,
    apply: 'Filter',
    notANumber: 'Enter a number, such as 1.5.',
    wrongOrder: 'The first number must not be above the second.',
    valuesOf: (field: string) => `Values of ${field}`,
    typeValue: 'Type a value',
    use: (value: string) => `Use “${value}”`,
    loading: 'Loading values …',
    failed: 'The values could not be loaded; type one.',
    keys: 'Enter chooses, Esc closes.',
    edit: (name: string, operator: string, value: string) => `Edit filter: ${name} ${operator} ${value}`,
    remove: (name: string) => `Remove filter ${name}`,
    text: 'Text and filters',
    placeholder: 'Text, or status:5xx key:ci',
    broken: (part: string) => `${part} is no filter of this field.`,
    noText: 'This list cannot be searched by text; write field:value.',
  },
  grid: {
    mark: 'Mark this row',
    marks: 'Marks',
    marked: (rows: number) => plural(rows, { one: 'row is marked', other: 'rows are marked' }),
    actions: 'Actions',
    width: (column: string) => `Width of ${column}`,
    columns: 'Columns',
    resetColumns: 'As delivered',
  },
  states: {
    documentTitle: (page: string) => `${page} · Tollgate`,
    loading: 'Loading',
    updating: 'Updating',
    requestId: 'request id',
    retry: 'Try again',
    retryIn: (seconds: number) => `Try again (in ${seconds} s)`,
    asOf: (time: string) => `as of ${time}`,
    notAllowed: (missing: string) => `You may not see this: ${missing}`,
    gone: 'Not here, or not yours.',
    archived: 'Archived. This is its last state; it can no longer be changed.',
    goOn: 'Go on',
    broken: (message: string) => `This part of the page failed: ${message}`,
  },
} as const;
