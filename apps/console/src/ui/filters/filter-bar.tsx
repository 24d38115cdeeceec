import { Popover } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement, type ReactNode, type RefObject } from 'react';
import { uiText } from '../../messages/en/ui';
import type { Filter } from '../../url';
import { Icon } from '../icons/icon';
import { Kbd } from '../primitives/marks';
import { usePageKeys } from '../use-page-keys';
import { Chip, FilterEditor } from './chip';
import { fieldOf, type FilterField } from './fields';
import { FieldPicker } from './field-picker';
import { TextBox } from './text-box';

export interface FilterBarProps {
  readonly fields: readonly FilterField[];
  readonly filters: readonly Filter[];
  /**
   * Called for each change, also while the user chooses values; the page should replace the history
   * entry.
   */
  readonly onChange: (filters: readonly Filter[]) => void;
  /** Search text; absent when the page has no text search. */
  readonly text?: string;
  readonly onText?: (text: string) => void;
  /** Why the text search is off; absent when it is on. */
  readonly textOff?: string;
  /** Content before the chips, such as the range picker. */
  readonly children?: ReactNode;
  /** Content at the right end, such as saving the view. */
  readonly actions?: ReactNode;
}

/**
 * Bar of filters as chips. `F` adds one, `/` focuses the text box, `X` removes all and clears the
 * search text. The button at the end removes the filters only. Without fields, it is a text box.
 */
export function FilterBar(props: FilterBarProps): ReactElement {
  const { fields, filters, onChange, text, onText, textOff, children, actions } = props;
  const box = useRef<HTMLInputElement>(null);
  const [bar, keepFocus] = useChipFocus(filters.length);
  const [adding, setAdding] = useState<Adding | null>(null);
  usePageKeys({
    f: fields.length === 0 ? undefined : () => setAdding(UNPICKED),
    '/': () => box.current?.focus(),
    x: () => {
      onChange([]);
      onText?.('');
    },
  });
  const changeAt = (at: number, filter: Filter | null): void =>
    onChange(
      filter === null
        ? filters.filter((_, one) => one !== at)
        : filters.map((one, index) => (index === at ? filter : one)),
    );
  const picked = adding === null || adding.field === null ? null : fieldOf(fields, adding.field);
  const added = adding === null ? -1 : addedAt(filters, adding.last);
  const change = (filter: Filter | null): void => {
    if (added >= 0) changeAt(added, filter);
    else if (filter !== null) onChange([...filters, filter]);
    setAdding((before) => before && { ...before, last: filter });
  };
  return (
    <div ref={bar} className="filter-bar" role="search" aria-label={uiText.filters.bar}>
      {children}
      {filters.map((filter, at) => (
        // The key contains no values, so that the edited chip keeps its state while they change.
        <Chip
          key={`${at}:${filter.field}`}
          filter={filter}
          field={fieldOf(fields, filter.field)}
          onChange={(next) => {
            if (next === null) keepFocus(at);
            changeAt(at, next);
          }}
        />
      ))}
      {fields.length > 0 && (
        <Popover
          opened={adding !== null}
          onChange={(isOpen) => setAdding(isOpen ? UNPICKED : null)}
          trapFocus
          returnFocus
          position="bottom-start"
        >
          <Popover.Target>
            <button
              type="button"
              className="plain-button chip chip-add"
              aria-haspopup="dialog"
              aria-expanded={adding !== null}
              onClick={() => setAdding(adding === null ? UNPICKED : null)}
            >
              <Icon name="filter" size={14} /> {uiText.filters.add} <Kbd keys="F" />
            </button>
          </Popover.Target>
          <Popover.Dropdown className="filter-dropdown" aria-label={uiText.filters.add}>
            {picked === null ? (
              <FieldPicker fields={fields} onPick={(field) => setAdding({ field, last: null })} />
            ) : (
              <FilterEditor
                key={picked.id}
                field={picked}
                filter={filters[added] ?? null}
                onChange={change}
                onDone={() => setAdding(null)}
              />
            )}
          </Popover.Dropdown>
        </Popover>
      )}
      <TextBox
        ref={box}
        fields={fields}
        filters={filters}
        onChange={onChange}
        text={text}
        onText={onText}
        textOff={textOff}
      />
      {filters.length > 1 && (
        <button type="button" className="plain-button filter-clear" onClick={() => onChange([])}>
          {uiText.filters.clear}
        </button>
      )}
      {actions === undefined ? null : <div className="right row">{actions}</div>}
    </div>
  );
}

/**
 * Keeps the focus in the bar when a chip is removed: the next chip gets it, else the last one or the
 * button that adds a filter.
 */
function useChipFocus(count: number): readonly [RefObject<HTMLDivElement | null>, (removed: number) => void] {
  const bar = useRef<HTMLDivElement>(null);
  const removed = useRef<number | null>(null);
  useEffect(() => {
    const at = removed.current;
    removed.current = null;
    if (at === null) return;
    const stops = bar.current?.querySelectorAll<HTMLElement>('.chip-words:not(:disabled), .chip-add') ?? [];
    stops[Math.min(at, stops.length - 1)]?.focus();
  }, [count]);
  return [bar, (at) => (removed.current = at)];
}

/** State of the editor that adds a filter. */
interface Adding {
  /** Field of the new filter; null while the user picks it. */
  readonly field: string | null;
  /** The new filter as the editor last changed it; null while it has no value. */
  readonly last: Filter | null;
}

const UNPICKED: Adding = { field: null, last: null };

/**
 * Index of the added filter in the page's list; -1 when it is not there. It is found by its field,
 * negation and kind, because the page may have joined it with another filter or kept only some of
 * its values.
 */
const addedAt = (filters: readonly Filter[], last: Filter | null): number =>
  last === null
    ? -1
    : filters.findLastIndex(
        ({ field, not, match }) => field === last.field && not === last.not && match.kind === last.match.kind,
      );
