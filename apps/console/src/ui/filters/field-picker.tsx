import { useId, useState, type KeyboardEvent, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import type { FilterField } from './fields';
import { ListInput } from './list-input';

export interface FieldPickerProps {
  readonly fields: readonly FilterField[];
  /** Called with the id of a field, or with a concrete name for a field that ends with `*`. */
  readonly onPick: (id: string) => void;
}

/** List of fields by group, with a search box. */
export function FieldPicker({ fields, onPick }: FieldPickerProps): ReactElement {
  const listId = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const rows = rowsOf(fields, typed.trim());
  const active = Math.min(at, rows.length - 1);
  const onKey = ({ key }: KeyboardEvent): boolean => {
    const row = rows[active];
    if (key !== 'Enter' || row === undefined) return false;
    onPick(row.id);
    return true;
  };
  return (
    <div className="filter-editor">
      <ListInput
        {...{ listId, active, onKey }}
        label={uiText.filters.field}
        placeholder={uiText.filters.field}
        value={typed}
        length={rows.length}
        onActive={setAt}
        onType={(value) => {
          setTyped(value);
          setAt(0);
        }}
      />
      <div id={listId} role="listbox" aria-label={uiText.filters.field} className="filter-list">
        {rows.map((row, index) => (
          <div key={row.id}>
            {row.group !== rows[index - 1]?.group && <div className="filter-group">{row.group}</div>}
            <div
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              data-active={index === active || undefined}
              className="filter-option"
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onPick(row.id)}
            >
              <span className="ell grow">{row.label}</span>
              <code className="muted">{row.id}</code>
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}

/**
 * Returns the matching fields, ignoring case. A field such as `md.*` is replaced by the typed name,
 * whose case counts.
 */
function rowsOf(
  fields: readonly FilterField[],
  typed: string,
): readonly Pick<FilterField, 'id' | 'label' | 'group'>[] {
  const lower = typed.toLowerCase();
  return fields.flatMap((field) => {
    const { id, label, group } = field;
    if (!id.endsWith('*'))
      return `${id} ${label}`.toLowerCase().includes(lower) ? [{ id, label, group }] : [];
    const start = id.slice(0, -1);
    const name = lower.startsWith(start) ? start + typed.slice(start.length) : `${start}${typed}`;
    return name.length > start.length && !/[\s:]/.test(name) ? [{ id: name, label, group }] : [];
  });
}
