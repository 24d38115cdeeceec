import type { KeyboardEvent, ReactElement } from 'react';

export interface ListInputProps {
  /** Id of the listbox; its options have the ids `<listId>-<index>`. */
  readonly listId: string;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly maxLength?: number;
  readonly onType: (value: string) => void;
  /** Index of the active option; -1 without options. */
  readonly active: number;
  /** Number of options. */
  readonly length: number;
  readonly onActive: (index: number) => void;
  /** Handles a key other than the arrow keys; returns whether it used the key. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Text box above a list of options, whose active option the arrow keys change. */
export function ListInput(props: ListInputProps): ReactElement {
  const { listId, active, length, onActive } = props;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') onActive(Math.min(length - 1, active + 1));
    else if (event.key === 'ArrowUp') onActive(Math.max(0, active - 1));
    else if (!props.onKey(event)) return;
    event.preventDefault();
  };
  return (
    <input
      // The list opens only when the user asks for it, so autofocus is appropriate.
      autoFocus
      className="filter-input"
      role="combobox"
      aria-expanded="true"
      aria-controls={listId}
      aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
      aria-label={props.label}
      placeholder={props.placeholder}
      value={props.value}
      maxLength={props.maxLength}
      onChange={(event) => props.onType(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
