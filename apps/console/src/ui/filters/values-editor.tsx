import { useId, useState, type KeyboardEvent, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { VALUES_MAX, type Filter } from '../../url';
import { count } from '../format';
import { Icon } from '../icons/icon';
import { RadioButtons } from '../primitives/radio-buttons';
import type { FilterField, FilterOption } from './fields';
import { ListInput } from './list-input';
import { useOptions } from './use-options';

export interface EditorProps {
  readonly field: FilterField;
  /** The edited filter; null while no value is chosen. */
  readonly filter: Filter | null;
  /** Called with the changed filter; null removes it. */
  readonly onChange: (filter: Filter | null) => void;
  readonly onDone: () => void;
}

/** Editor of the values of a filter: a text box above a list, with the arrow keys and Enter. */
export function ValuesEditor({ field, filter, onChange, onDone }: EditorProps): ReactElement {
  const listId = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const { options, state } = useOptions(field, typed);
  const chosen = filter?.match.kind === 'any' ? filter.match.values : [];
  // The operator can be chosen before the first value, when there is no filter yet.
  const [isNegated, setNegated] = useState(false);
  const not = filter?.not ?? isNegated;
  const rows = rowsOf(options, chosen, typed);
  const active = Math.min(at, rows.length - 1);

  const change = (values: readonly string[], isNot = not): void =>
    onChange(values.length === 0 ? null : { field: field.id, not: isNot, match: { kind: 'any', values } });
  const setNot = (isNot: boolean): void => {
    setNegated(isNot);
    if (chosen.length > 0) change(chosen, isNot);
  };
  const toggle = (value: string): void => {
    const rest = chosen.filter((one) => one !== value);
    change(rest.length < chosen.length ? rest : [...chosen, value].slice(0, VALUES_MAX));
    setTyped('');
  };
  const onKey = ({ key, ctrlKey }: KeyboardEvent): boolean => {
    const row = rows[active];
    if (key === 'Enter' && row !== undefined && !ctrlKey) toggle(row.value);
    else if (key === 'Enter') onDone();
    else if (key === 'Backspace' && typed === '' && chosen.length > 0) change(chosen.slice(0, -1));
    else return false;
    return true;
  };
  return (
    <div className="filter-editor">
      {field.negatable === true && (
        <RadioButtons
          label={uiText.filters.operator}
          options={[
            ['is', uiText.filters.is],
            ['not', uiText.filters.isNot],
          ]}
          value={not ? 'not' : 'is'}
          onChange={(operator) => setNot(operator === 'not')}
          className="filter-operators"
          buttonClass="filter-operator"
        />
      )}
      <ListInput
        {...{ listId, active, onKey }}
        label={uiText.filters.valuesOf(field.label)}
        placeholder={uiText.filters.typeValue}
        value={typed}
        maxLength={500}
        length={rows.length}
        onActive={setAt}
        onType={(value) => {
          setTyped(value);
          setAt(0);
        }}
      />
      <div
        id={listId}
        role="listbox"
        aria-multiselectable="true"
        aria-label={field.label}
        className="filter-list"
      >
        {rows.map((row, index) => (
          <div
            key={row.value}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={chosen.includes(row.value)}
            data-active={index === active || undefined}
            className="filter-option"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => toggle(row.value)}
          >
            <span className="filter-check">
              {chosen.includes(row.value) && <Icon name="check" size={14} />}
            </span>
            <span className="ell grow">
              {row.isTyped ? uiText.filters.use(row.value) : (row.label ?? row.value)}
            </span>
            {row.count === undefined ? null : <span className="muted num xs">{count(row.count)}</span>}
          </div>
        ))}
      </div>
      <p className="filter-hint" role="status">
        {state === 'loading'
          ? uiText.filters.loading
          : state === 'failed'
            ? uiText.filters.failed
            : uiText.filters.keys}
      </p>
    </div>
  );
}

type Row = FilterOption & { readonly isTyped?: boolean };

/**
 * Rows of the list: chosen values while nothing is typed, then suggested values, then the typed
 * text.
 */
function rowsOf(options: readonly FilterOption[], chosen: readonly string[], typed: string): readonly Row[] {
  const offered = options.filter(({ value }) => !chosen.includes(value));
  const own =
    typed === '' ? chosen.map((value) => options.find((option) => option.value === value) ?? { value }) : [];
  const isKnown = [...chosen, ...options.map(({ value }) => value)].includes(typed.trim());
  const free = typed.trim() === '' || isKnown ? [] : [{ value: typed.trim(), isTyped: true }];
  return [...own, ...offered, ...free];
}
