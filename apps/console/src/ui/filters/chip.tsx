import { Popover } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import type { Filter } from '../../url';
import { Icon } from '../icons/icon';
import { useFormat } from '../primitives/format-context';
import { filterWords, type FilterField } from './fields';
import { NumberEditor } from './number-editor';
import { ValuesEditor } from './values-editor';

export interface ChipProps {
  readonly filter: Filter;
  /**
   * Field of the filter; null when the page no longer has it, so that the chip can only be removed.
   */
  readonly field: FilterField | null;
  readonly onChange: (filter: Filter | null) => void;
}

/** Chip of one filter. Enter or a click edits it, Delete removes it. */
export function Chip({ filter, field, onChange }: ChipProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const { locale } = useFormat();
  const { name, operator, value } = filterWords(filter, field, locale);
  return (
    <span className="chip" role="group" aria-label={`${name} ${operator} ${value}`}>
      <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-start" withinPortal>
        <Popover.Target>
          <button
            type="button"
            className="plain-button chip-words"
            disabled={field === null}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            aria-label={uiText.filters.edit(name, operator, value)}
            onClick={() => setOpen(!isOpen)}
            onKeyDown={(event) => {
              if (event.key !== 'Delete' && event.key !== 'Backspace') return;
              event.preventDefault();
              onChange(null);
            }}
          >
            {/* The spaces separate the words in the accessible name, which is the visible text. */}
            <span className="chip-name">{name}</span> <span className="chip-operator">{operator}</span>{' '}
            <span className="chip-value ell">{value}</span>
          </button>
        </Popover.Target>
        <Popover.Dropdown className="filter-dropdown" aria-label={name}>
          {field === null ? null : (
            <FilterEditor field={field} filter={filter} onChange={onChange} onDone={() => setOpen(false)} />
          )}
        </Popover.Dropdown>
      </Popover>
      <button
        type="button"
        className="plain-button chip-remove"
        aria-label={uiText.filters.remove(name)}
        onClick={() => onChange(null)}
      >
        <Icon name="close" size={14} />
      </button>
    </span>
  );
}

/** Editor of a filter, chosen by the kind of its field. */
export function FilterEditor(props: {
  readonly field: FilterField;
  readonly filter: Filter | null;
  readonly onChange: (filter: Filter | null) => void;
  readonly onDone: () => void;
}): ReactElement {
  return props.field.kind === 'number' ? <NumberEditor {...props} /> : <ValuesEditor {...props} />;
}
